#include "textflag.h"

// wrong is called as the kernel's clock_gettime is: the clock's id in DI, where
// to put seconds and nanoseconds in SI. Only the wall clock, 0, is wrong.
TEXT wrong<>(SB), NOSPLIT|NOFRAME, $0
	PUSHQ DI
	PUSHQ SI
	SUBQ  $8, SP
	MOVQ  ·rightClock(SB), AX
	CALL  AX
	ADDQ  $8, SP
	POPQ  SI
	POPQ  DI
	TESTL DI, DI
	JNE   right
	MOVQ  ·wrongBy(SB), CX
	ADDQ  CX, 0(SI)

right:
	RET

DATA ·wrongClock(SB)/8, $wrong<>(SB)
GLOBL ·wrongClock(SB), NOPTR, $8
