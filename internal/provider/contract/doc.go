// Package contract proves that adapters and simulators agree: each adapter against the
// sandbox as a real process, over HTTP. That both agree with the providers is proved
// elsewhere, by vectors and by public clients that are independent of both.
package contract
