// SPDX-License-Identifier: Apache-2.0
#pragma once

// Names that <windows.h>, <complex.h>, <termios.h> and <sys/sysmacros.h> take as macros. None may occur in our headers.
#define min(a, b) this is not a minimum
#define max(a, b) this is not a maximum
#define small this is rpcndr.h
#define near this is windef.h
#define far this is windef.h
#define I this is complex.h
#define B0 this is termios.h
#define major(x) this is sysmacros.h
#define minor(x) this is sysmacros.h
