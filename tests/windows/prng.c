/* Replaces bcryptprimitives.dll, which wine 8 lacks. Its only function calls SystemFunction036, the
   older function for the same purpose. */
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID bytes, ULONG length);

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE bytes, SIZE_T length)
{
    return SystemFunction036(bytes, (ULONG)length);
}
