//go:build !linux

package crashtest

import "errors"

const havePower = false

func logPower(*powerLog) error { return errors.ErrUnsupported }
