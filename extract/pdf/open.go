package pdf

import (
	"context"
	"fmt"

	"github.com/quarry-sdk/quarry/extract"
)

// Errors of FPDF_GetLastError, of PDFium's fpdfview.h.
const (
	passwordError = 4
	securityError = 5
)

// open makes an instance and opens the document in it.
func (j *job) open(ctx context.Context) error {
	in, err := j.engine.instance(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return blame(context.Cause(ctx))
		}
		return err
	}
	j.in = in
	data, err := in.store(ctx, j.data)
	if err != nil {
		return blame(err)
	}
	var code uint64
	for _, password := range passwords(j.config.Password) {
		p, err := in.store(ctx, []byte(password))
		if err != nil {
			return blame(err)
		}
		if j.doc, err = in.call(ctx, "FPDF_LoadMemDocument", uint64(data), uint64(len(j.data)), uint64(p)); err != nil {
			return blame(err)
		}
		if j.doc = uint64(uint32(j.doc)); j.doc != 0 {
			return nil
		}
		if code, err = in.call(ctx, "FPDF_GetLastError"); err != nil {
			return blame(err)
		}
		if code != passwordError {
			break
		}
	}
	switch {
	case code == passwordError && j.config.Password == "":
		return fmt.Errorf("%w; give it in Config.Password", extract.ErrEncrypted)
	case code == passwordError:
		return fmt.Errorf("%w: that of Config.Password is not the right one", extract.ErrEncrypted)
	case code == securityError:
		return fmt.Errorf("%w: the document is encrypted in a way that is not known", extract.ErrUnsupported)
	}
	return fmt.Errorf("%w: it has no structure of a PDF that could be found or mended", extract.ErrDamaged)
}
