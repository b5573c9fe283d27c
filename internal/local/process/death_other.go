//go:build !linux

package process

import "syscall"

func setParentDeathSignal(*syscall.SysProcAttr, syscall.Signal) {}
