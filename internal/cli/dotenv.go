package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/joho/godotenv"
)

// dotenvFile is in the working directory.
const dotenvFile = ".env"

// loadDotenv reads .env of the working directory. It never overrides what the
// environment has, and never repeats a value in an error.
func loadDotenv() error {
	data, err := os.ReadFile(dotenvFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return usagef("read .env: %w; make it readable or remove it", err)
	}
	vars, err := godotenv.UnmarshalBytes(data)
	if err != nil {
		// The parser's own message quotes the file, which may hold keys.
		return usagef("the file .env cannot be read; write one NAME=value a line")
	}
	for name, value := range vars {
		if _, set := os.LookupEnv(name); set {
			continue
		}
		if err := os.Setenv(name, value); err != nil {
			return fmt.Errorf("set %s from .env: %w", name, err)
		}
	}
	return nil
}
