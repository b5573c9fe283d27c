//go:build !linux && !darwin

package setup

import (
	"errors"
	"os"
)

// quiet reports that secrets cannot be typed unseen here.
func quiet(*os.File) (restore func(), err error) {
	return nil, errors.New("this system shows what is typed: give a file of answers")
}
