package gctune

import (
	"context"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var sink []byte

func percent() int { return int(read("/gc/gogc:percent")) }

func TestCollectsRarelyWhileThereIsMuchToDo(t *testing.T) {
	was := debug.SetGCPercent(idle)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); heap(ctx, 20*time.Millisecond) }()
	defer func() { stop(); <-ended; debug.SetGCPercent(was) }()
	require.Eventually(t, func() bool { sink = make([]byte, 8<<20); return percent() == busy }, time.Minute, time.Millisecond)
	require.Eventually(t, func() bool { return percent() == idle }, time.Minute, 50*time.Millisecond)
}

func TestAnOperatorsGOGCStays(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(250))
	heap(t.Context(), time.Hour) // comes back at once
	require.Equal(t, 250, percent())
}
