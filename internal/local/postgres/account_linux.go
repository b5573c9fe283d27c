package postgres

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// account is who the server runs as: attr starts a process so, and uid and gid
// own its files on disk.
type account struct {
	attr     syscall.SysProcAttr
	uid, gid int
}

// chooseAccount finds an account that can run the binaries and own the data.
func chooseAccount(paths ...string) (account, error) {
	if os.Geteuid() != 0 {
		return account{uid: os.Geteuid(), gid: os.Getegid()}, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		uid, gid, err := lookup(name)
		if err == nil && othersReach(paths...) && canBecome(uid, gid) {
			cred := &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
			return account{attr: syscall.SysProcAttr{Credential: cred}, uid: uid, gid: gid}, nil
		}
	}
	if a, ok := namespaceAccount(); ok {
		return a, nil
	}
	return account{}, fmt.Errorf("refusing to run Postgres as root: no other account may enter %v, "+
		"and this machine allows no user namespaces; open the folders (chmod o+x) or run as an ordinary user", paths)
}

func lookup(name string) (uid, gid int, err error) {
	u, err := user.Lookup(name)
	if err != nil {
		return 0, 0, err
	}
	if uid, err = strconv.Atoi(u.Uid); err != nil {
		return 0, 0, err
	}
	gid, err = strconv.Atoi(u.Gid)
	return uid, gid, err
}

// canBecome reports whether this root may become another account: a container can lack the
// capability.
func canBecome(uid, gid int) bool {
	cmd := exec.Command("/bin/sh", "-c", ":")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	return cmd.Run() == nil
}

// othersReach reports whether every existing folder above each path may be entered by
// anyone, and the path itself too.
func othersReach(paths ...string) bool {
	for _, path := range paths {
		for dir := path; ; dir = filepath.Dir(dir) {
			info, err := os.Stat(dir)
			if err == nil && info.Mode().Perm()&0o001 == 0 {
				return false
			}
			if dir == filepath.Dir(dir) {
				break
			}
		}
	}
	return true
}

// namespaceAccount maps nobody onto root: inside, the server sees an ordinary
// user who owns root's files.
func namespaceAccount() (account, bool) {
	uid, gid, err := lookup("nobody")
	if err != nil {
		return account{}, false
	}
	attr := syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: uid, HostID: 0, Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: gid, HostID: 0, Size: 1}},
	}
	probe := exec.Command("/bin/sh", "-c", ":")
	probeAttr := attr
	probe.SysProcAttr = &probeAttr
	return account{attr: attr}, probe.Run() == nil
}
