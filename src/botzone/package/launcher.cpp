// Quiver @VERSION@, a bot for the Game of the Amazons, for Botzone. Written by `quiver package`.
//
// The engine is written in Rust, which Botzone does not compile. This source ends with a
// text that holds the compiled and compressed engine
// (@ABOUT@).
// The source unpacks the engine and runs it in the same process, so that pipes, signals and exit
// status are those of the engine. It leaves no file on the disk.
//
//     g++ -O2 -std=c++11 quiver.cpp
//
// It starts the engine in the first way that the host allows: from a file in memory, from a
// temporary file in this folder, or from one in data/. Some hosts end a process that tries a
// forbidden call. For these hosts, -DQUIVER_NO_MEMFD leaves out the file in memory, and
// -DQUIVER_NO_EXECVEAT the call without a file name. Without compiler options, add the lines
// #define QUIVER_NO_MEMFD and #define QUIVER_NO_EXECVEAT at the top of this source.
//
@LICENCE@

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

// Botzone's headers may be older than its kernel.
#if defined(__x86_64__) && !defined(SYS_memfd_create)
#define SYS_memfd_create 319
#endif
#if defined(__x86_64__) && !defined(SYS_execveat)
#define SYS_execveat 322
#endif
#ifndef SYS_memfd_create
#define QUIVER_NO_MEMFD
#endif
#ifndef SYS_execveat
#define QUIVER_NO_EXECVEAT
#endif
#ifndef AT_EMPTY_PATH
#define AT_EMPTY_PATH 0x1000
#endif

namespace {

const std::size_t PROGRAM_SIZE = @PROGRAM_SIZE@;
const std::size_t PACKED_SIZE = @PACKED_SIZE@;  // a multiple of four
const std::uint32_t CHECKSUM = @CHECKSUM@;
const char DIGITS[] = "@DIGITS@";
extern const char TEXT[PACKED_SIZE / 4 * 5 + 1];

char name[] = "quiver";
char settings[] =
@SETTINGS@;
char *arguments[] = {name, settings, NULL};

unsigned char packed[PACKED_SIZE];
unsigned char program[PROGRAM_SIZE];

// ---------------------------------------------------------------- unpacking

// Decodes the text in base 85: five digits, the highest first, are four bytes.
bool decode() {
    unsigned char values[256];
    std::memset(values, 255, sizeof values);
    for (unsigned char value = 0; value < 85; ++value) values[static_cast<unsigned char>(DIGITS[value])] = value;
    const char *text = TEXT;
    for (std::size_t at = 0; at < PACKED_SIZE; at += 4) {
        unsigned long long group = 0;
        for (int digit = 0; digit < 5; ++digit) {
            const unsigned char value = values[static_cast<unsigned char>(*text++)];
            if (value == 255) return false;
            group = group * 85 + value;
        }
        if (group >> 32) return false;
        for (int byte = 0; byte < 4; ++byte) packed[at + byte] = (group >> (24 - 8 * byte)) & 255;
    }
    return true;
}

// The probability that a bit is 0, in parts of 2048. It adapts to the bits that are read with it.
struct Probability {
    std::uint16_t zero;

    Probability() : zero(1024) {}
};

// The packed bytes as a stream of bits: LZMA's range decoder. After the last byte it reads zeros.
struct Bits {
    std::size_t next;
    std::uint32_t range, code;

    Bits() : next(0), range(0xFFFFFFFF), code(0) {
        for (int byte = 0; byte < 5; ++byte) shift();
    }

    void shift() { code = code << 8 | (next < PACKED_SIZE ? packed[next++] : 0); }

    void fill() {
        if (range >> 24) return;
        range <<= 8;
        shift();
    }

    // The next bit. There is no branch, because the processor would mispredict it too often.
    unsigned bit(Probability &probability) {
        const std::uint32_t zero = probability.zero, bound = (range >> 11) * zero;
        const std::uint32_t one = code >= bound, mask = 0 - one;
        range = bound + ((range - 2 * bound) & mask);
        code -= bound & mask;
        // The probability moves by 1/32 of its distance to 2048 after a 0, and to 0 after a 1. The
        // 31 makes the shift round a negative distance towards 0.
        const std::int32_t way = static_cast<std::int32_t>(31 + (2017 & ~mask)) - static_cast<std::int32_t>(zero);
        probability.zero = static_cast<std::uint16_t>(static_cast<std::int32_t>(zero) + (way >> 5));
        fill();
        return one;
    }

    // Reads a number of `count` bits, the highest first. Each bit is 0 or 1 with equal probability.
    std::uint32_t plain(unsigned count) {
        std::uint32_t value = 0;
        for (; count > 0; --count) {
            range >>= 1;
            const bool one = code >= range;
            if (one) code -= range;
            value = value << 1 | one;
            fill();
        }
        return value;
    }

    // Reads a number of BITS bits, the highest first. A bit's probability depends on earlier bits.
    template <unsigned BITS> unsigned number(Probability (&tree)[1 << BITS]) {
        unsigned node = 1;
        for (unsigned place = 0; place < BITS; ++place) node = node << 1 | bit(tree[node]);
        return node - (1 << BITS);
    }

    // Reads a number of `count` bits, the lowest first. It stops early after the tree's last level.
    template <std::size_t NODES> unsigned reversed(Probability (&tree)[NODES], unsigned count) {
        unsigned node = 1, value = 0;
        for (unsigned place = 0; place < count && node < NODES; ++place) {
            const unsigned one = bit(tree[node]);
            node = node << 1 | one;
            value |= one << place;
        }
        return value;
    }
};

// Decodes the lengths of copies.
struct Lengths {
    Probability from_10, from_18, low[8], middle[8], high[256];

    unsigned read(Bits &bits) {
        if (!bits.bit(from_10)) return 2 + bits.number<3>(low);
        if (!bits.bit(from_18)) return 10 + bits.number<3>(middle);
        return 18 + bits.number<8>(high);
    }
};

// The number of LZMA's states. The state tells the kinds of the last symbols: below 7 the last
// symbol was a single byte, from 7 on a copy.
const unsigned STATES = 12;

// Decodes the packed bytes, an LZMA stream with lc=4, lp=0, pb=0, without header and end marker.
// The SDK's specification calls the fields IsMatch (`copied`), IsRep (`repeated`), IsRepG0
// (`second`), IsRepG1 (`third`), IsRepG2 (`fourth`) and IsRep0Long (`longer`).
struct Decoder {
    Bits bits;
    Probability copied[STATES], repeated[STATES], second[STATES], third[STATES], fourth[STATES], longer[STATES];
    Probability literals[16][0x300], slots[4][64], distances[10][32], lowest[16];
    Lengths lengths, repeated_lengths;
    std::size_t size;  // bytes of the program so far
    std::uint32_t last[4];  // the last distances less 1, the latest first
    unsigned state;

    Decoder() : size(0), last(), state(0) {}

    // Decodes a single byte. Its probabilities depend on the previous byte and, after a copy, on
    // the byte that would have continued the copy.
    void literal() {
        Probability(&tree)[0x300] = literals[size > 0 ? program[size - 1] >> 4 : 0];
        unsigned node = 1;
        if (state >= 7) {
            for (unsigned expected = program[size - last[0] - 1]; node < 0x100;) {
                expected <<= 1;
                const unsigned guess = expected >> 8 & 1;
                const unsigned one = bits.bit(tree[(1 + guess) << 8 | node]);
                node = node << 1 | one;
                if (one != guess) break;
            }
        }
        while (node < 0x100) node = node << 1 | bits.bit(tree[node]);
        program[size++] = node & 0xFF;
        state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
    }

    std::uint32_t distance(unsigned length) {
        const unsigned slot = bits.number<6>(slots[length < 6 ? length - 2 : 3]);
        if (slot < 4) return slot;
        const unsigned count = slot / 2 - 1;
        const std::uint32_t high = static_cast<std::uint32_t>(2 | (slot & 1)) << count;
        if (slot < 14) return high + bits.reversed(distances[slot - 4], count);
        const std::uint32_t middle = bits.plain(count - 4) << 4;
        return high + middle + bits.reversed(lowest, 4);
    }

    // Appends a copy of earlier bytes to the unpacked program. Returns false if these bytes would
    // begin before the program, or if the program would become too long.
    bool copy(std::size_t length) {
        if (last[0] >= size || length > PROGRAM_SIZE - size) return false;
        for (const std::size_t back = last[0] + std::size_t(1); length > 0; --length, ++size)
            program[size] = program[size - back];
        return true;
    }

    // Moves the distance `last[which]` to the front, as the latest one.
    void recall(unsigned which) {
        const std::uint32_t distance = last[which];
        for (; which > 0; --which) last[which] = last[which - 1];
        last[0] = distance;
    }

    bool symbol() {
        if (!bits.bit(copied[state])) {
            literal();
            return true;
        }
        const bool after_byte = state < 7;
        if (!bits.bit(repeated[state])) {
            const unsigned length = lengths.read(bits);
            recall(3);
            last[0] = distance(length);
            state = after_byte ? 7 : 10;
            return copy(length);
        }
        if (!bits.bit(second[state])) {
            if (!bits.bit(longer[state])) {
                state = after_byte ? 9 : 11;
                return copy(1);
            }
        } else if (!bits.bit(third[state])) {
            recall(1);
        } else {
            recall(2 + bits.bit(fourth[state]));
        }
        const unsigned length = repeated_lengths.read(bits);
        state = after_byte ? 8 : 11;
        return copy(length);
    }
};

std::uint32_t swapped(std::uint32_t value) {
    return value >> 24 | (value >> 8 & 0xFF00) | (value << 8 & 0xFF0000) | value << 24;
}

// Reverses the filter of the packer (pack.rs), which replaced the distances in calls, jumps and
// accesses by positions in the program, the highest byte first, and swapped the bytes of values
// that look like such a position.
void restore_distances() {
    const std::int64_t size = PROGRAM_SIZE;
    for (std::size_t at = 3; at + 4 <= PROGRAM_SIZE; ++at) {
        const unsigned code = program[at - 1];
        const bool near = code == 0xE8 || code == 0xE9 || ((code & 0xF0) == 0x80 && program[at - 2] == 0x0F);
        if (!near && !((code & 0xC7) == 5 && (program[at - 3] & 0xF8) == 0x48)) continue;
        std::uint32_t value = 0;
        for (std::size_t byte = 0; byte < 4; ++byte) value = value << 8 | program[at + byte];
        const std::int64_t here = static_cast<std::int64_t>(at);
        const std::int64_t place = static_cast<std::int32_t>(value);
        const std::int64_t other = static_cast<std::int32_t>(swapped(value));
        if (place >= -here && place < size) {
            value = swapped(static_cast<std::uint32_t>(place < 0 ? place + size : place - here));
        } else if (other >= -here && other < size) {
            value = swapped(value);
        } else {
            continue;
        }
        for (std::size_t byte = 0; byte < 4; ++byte) program[at + byte] = value >> (24 - 8 * byte) & 0xFF;
    }
}

// Adler-32 of the program (RFC 1950).
std::uint32_t checksum() {
    std::uint32_t low = 1, high = 0;
    for (std::size_t at = 0; at < PROGRAM_SIZE;) {
        // The sums of this many bytes fit in 32 bits.
        for (std::size_t end = PROGRAM_SIZE - at < 5552 ? PROGRAM_SIZE : at + 5552; at < end; ++at)
            high += low += program[at];
        low %= 65521;
        high %= 65521;
    }
    return high << 16 | low;
}

bool unpack() {
    static Decoder decoder;
    while (decoder.size < PROGRAM_SIZE)
        if (!decoder.symbol()) return false;
    restore_distances();
    return checksum() == CHECKSUM;
}

// ---------------------------------------------------------------- starting the engine

char reasons[1024];

// Stores the system's error, which is printed if all ways to start the engine fail.
void refused(const char *what) {
    const int error = errno;
    const std::size_t used = std::strlen(reasons);
    std::snprintf(reasons + used, sizeof reasons - used, "\n  %s: %s", what, std::strerror(error));
}

bool write_program(int file) {
    // A limit on file sizes must not end the process: another way to start the engine may work.
    void (*const handler)(int) = std::signal(SIGXFSZ, SIG_IGN);
    std::size_t written = 0;
    while (written < PROGRAM_SIZE) {
        const ssize_t count = write(file, program + written, PROGRAM_SIZE - written);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) break;
        written += static_cast<std::size_t>(count);
    }
    const int error = errno;
    std::signal(SIGXFSZ, handler);
    errno = error;
    return written == PROGRAM_SIZE;
}

// Replaces this process with the program in an open file. Returns only if this fails.
void become(int file) {
    errno = ENOSYS;
#ifndef QUIVER_NO_EXECVEAT
    syscall(SYS_execveat, file, "", arguments, environ, AT_EMPTY_PATH);
#endif
    const int error = errno;
    char path[64];
    std::snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    execve(path, arguments, environ);
    errno = error;
}

void from_memory() {
#ifndef QUIVER_NO_MEMFD
    const unsigned CLOSE_ON_EXEC = 1, EXECUTABLE = 16;
    long file = syscall(SYS_memfd_create, name, CLOSE_ON_EXEC | EXECUTABLE);
    // Kernels before 6.3 do not know the flag EXECUTABLE and do not need it.
    if (file < 0 && errno == EINVAL) file = syscall(SYS_memfd_create, name, CLOSE_ON_EXEC);
    if (file < 0) return refused("a file in memory");
    if (write_program(static_cast<int>(file))) become(static_cast<int>(file));
    refused("the engine from memory");
    close(static_cast<int>(file));
#endif
}

// Writes the program to a file. First removes an old file of this name, which a process that has
// ended left behind.
bool write_file(const char *path) {
    unlink(path);
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
    if (file < 0) return false;
    const bool good = write_program(file) && fchmod(file, 0700) == 0;
    const int error = errno;
    close(file);
    if (!good) unlink(path);
    errno = error;
    return good;
}

// Starts the engine from a file that is removed before the start.
void from_nameless_file(const char *path) {
    if (!write_file(path)) return refused(path);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const int error = errno;
    unlink(path);
    errno = error;
    if (file >= 0) become(file);
    refused(path);
    if (file >= 0) close(file);
}

// Starts an orphan process that removes the file when this process has become the engine or has
// ended. Either event closes this process's end of a pipe, from which the orphan reads. Returns
// this process's end, or -1 if the orphan cannot be started.
int remove_later(const char *path) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return -1;
    const pid_t child = fork();
    if (child == 0) {
        if (fork() == 0) {
            close(ends[1]);
            // Only the engine may hold the judge's pipes open.
            for (int stream = 0; stream < 3; ++stream) close(stream);
            char byte;
            while (read(ends[0], &byte, 1) < 0 && errno == EINTR) {}
            unlink(path);
        }
        _exit(0);
    }
    close(ends[0]);
    if (child < 0) {
        close(ends[1]);
        return -1;
    }
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
    return ends[1];
}

// Starts the engine from a named file, for hosts that allow no other way.
void from_named_file(const char *path) {
    if (!write_file(path)) return;
    // Without an orphan the file stays on the disk, but the match is not lost.
    const int pipe_end = remove_later(path);
    execve(path, arguments, environ);
    refused(path);
    unlink(path);
    if (pipe_end >= 0) close(pipe_end);
}

}  // namespace

int main() {
    // The program has no tables to unwind its stack, so it must not be asked for a backtrace.
    unsetenv("RUST_BACKTRACE");
    unsetenv("RUST_LIB_BACKTRACE");
    if (!decode() || !unpack()) {
        std::fputs("quiver: the engine's text in this source is damaged: upload the source file unchanged\n", stderr);
        return 1;
    }
    // Without poll, the engine's runtime would end without a message.
    if (poll(NULL, 0, 0) < 0) {
        std::fprintf(stderr, "quiver: this host refuses poll, which the engine needs: %s\n", std::strerror(errno));
        return 1;
    }
    char here[64], data[64];
    std::snprintf(here, sizeof here, "./.quiver-%ld", static_cast<long>(getpid()));
    std::snprintf(data, sizeof data, "data/.quiver-%ld", static_cast<long>(getpid()));
    from_memory();
    from_nameless_file(here);
    from_nameless_file(data);
    from_named_file(here);
    from_named_file(data);
    std::fprintf(stderr, "quiver: this host refuses every way to start the engine:%s\n", reasons);
    return 1;
}

namespace {

const char TEXT[PACKED_SIZE / 4 * 5 + 1] =
@TEXT@;

}  // namespace
