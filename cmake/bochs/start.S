/* The start of an x86 machine: from 16-bit code at the reset address to 64-bit code with AVX-512 switched on. Then the code that calls
   the functions of machine.cpp. */
        .set pages, 0x1000              /* 4 GB in pages of 2 MB, each address itself: six tables */
        .set stack, 0xC000

        .section .reset, "ax"
        .code16
        ljmp    $0xF000, $(start16 - 0xF0000)

        .text
start16:
        cli
        lgdtl   %cs:(segments_pointer - 0xF0000)
        movl    $1, %eax                /* protected mode */
        movl    %eax, %cr0
        ljmpl   $8, $start32

        .code32
start32:
        movl    $24, %eax
        movl    %eax, %ds
        movl    %eax, %es
        movl    %eax, %ss
        movl    $pages, %edi
        movl    $0x1800, %ecx
        xorl    %eax, %eax
        rep stosl
        movl    $pages + 0x1003, pages
        movl    $pages + 0x2003, pages + 0x1000
        movl    $pages + 0x3003, pages + 0x1008
        movl    $pages + 0x4003, pages + 0x1010
        movl    $pages + 0x5003, pages + 0x1018
        movl    $pages + 0x2000, %edi
        movl    $0x83, %eax
1:      movl    %eax, (%edi)
        addl    $8, %edi
        addl    $0x200000, %eax
        jnc     1b
        movl    $pages, %eax
        movl    %eax, %cr3
        movl    $0x40620, %eax          /* PAE, OSFXSR, OSXMMEXCPT, OSXSAVE */
        movl    %eax, %cr4
        xorl    %ecx, %ecx
        xorl    %edx, %edx
        movl    $0xE7, %eax             /* the state of x87, SSE, AVX and AVX-512 */
        xsetbv
        movl    $0xC0000080, %ecx       /* EFER: long mode, system calls */
        movl    $0x101, %eax
        wrmsr
        movl    $0xC0000081, %ecx       /* STAR: a system call finds the same segments */
        xorl    %eax, %eax
        movl    $16, %edx
        wrmsr
        movl    $0xC0000082, %ecx       /* LSTAR: and this code */
        movl    $system_call, %eax
        xorl    %edx, %edx
        wrmsr
        movl    $0x80010033, %eax       /* paging, write protection, x87 */
        movl    %eax, %cr0
        ljmpl   $16, $start64

        .code64
start64:
        lidt    faults_pointer
        movl    $stack, %esp
        call    load
        movq    %rax, %rsp
        xorl    %edx, %edx
        fninit
        jmp     *-8(%rsp)

/* The caller keeps what it has below its stack, and all registers but rax, rcx and r11. */
system_call:
        movq    %rsp, %r11
        movl    $stack, %esp
        push    %r11
        push    %rcx
        push    %rdi
        push    %rsi
        push    %rdx
        push    %r8
        push    %r9
        push    %r10
        movq    %rax, %rcx
        call    answer
        pop     %r10
        pop     %r9
        pop     %r8
        pop     %rdx
        pop     %rsi
        pop     %rdi
        pop     %rcx
        pop     %rsp
        jmp     *%rcx

        .balign 256
faults: .rept   32
        call    1f
        .balign 8
        .endr
1:      movq    %rsp, %rdi
        andq    $-16, %rsp
        call    fault

        .section .rodata
        .balign 8
segments:
        .quad   0
        .quad   0x00CF9B000000FFFF      /* 8: code of 32 bits */
        .quad   0x00AF9B000000FFFF      /* 16: code of 64 bits */
        .quad   0x00CF93000000FFFF      /* 24: data */
segments_pointer:
        .word   31
        .long   segments
        .balign 8
fault_table:
        .set    vector, 0
        .rept   32
        .word   faults - 0xF0000 + 8 * vector, 16, 0x8E00, 0xF
        .quad   0
        .set    vector, vector + 1
        .endr
faults_pointer:
        .word   511
        .quad   fault_table
        .section .note.GNU-stack, "", @progbits
