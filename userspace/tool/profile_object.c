// SPDX-License-Identifier: GPL-2.0
/* Embeds the object file of profile.bpf.c, PROFILE_OBJECT of the Makefile. */
#include "bpf_profile.h"

__asm__(".pushsection .rodata, \"a\"\n"
	".balign 8\n"
	".globl profile_object\n"
	"profile_object:\n"
	".incbin \"" PROFILE_OBJECT "\"\n"
	".globl profile_object_end\n"
	"profile_object_end:\n"
	".byte 0\n"
	".popsection\n");
