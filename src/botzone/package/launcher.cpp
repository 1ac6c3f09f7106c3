// Quiver @VERSION@, a bot for the Game of the Amazons, for Botzone. Written by `quiver package`.
//
// The engine is written in Rust, which the site does not compile. So this source carries it as a finished program
// (@ABOUT@),
// compressed, as the text at its end, and all that it does is to unpack that program and to become it: pipes,
// signals and exit status are then the engine's own. Nothing is left on disk.
//
//     g++ -O2 -std=c++11 quiver.cpp
//
// It goes by the first road that the host leaves open: a file in memory; a temporary file here; one in data/. A host
// that ends a process for trying, instead of refusing, can be spared the first with -DQUIVER_NO_MEMFD and the call
// that needs no file name with -DQUIVER_NO_EXECVEAT, or with the same names after a #define here.
//
@LICENCE@

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

// The site's headers may be older than its kernel.
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
const std::size_t PACKED_SIZE = @PACKED_SIZE@;  // in whole groups of four
const char DIGITS[] = "@DIGITS@";
extern const char TEXT[PACKED_SIZE / 4 * 5 + 1];

char name[] = "quiver";
char settings[] =
@SETTINGS@;
char *arguments[] = {name, settings, NULL};

unsigned char packed[PACKED_SIZE];
unsigned char program[PROGRAM_SIZE];

// ---------------------------------------------------------------- unpacking

// The text in base 85: five digits, the highest first, are four bytes.
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

// The packed bytes as a stream of bits, the lowest first. Past the end come zeros, and `exhausted` is set.
struct Bits {
    std::size_t next;
    unsigned long long held;
    unsigned count;
    bool exhausted;

    Bits() : next(0), held(0), count(0), exhausted(false) {}

    void fill() {
        while (count <= 56) {
            if (next < PACKED_SIZE) held |= static_cast<unsigned long long>(packed[next]) << count;
            else if (next >= PACKED_SIZE + 8) exhausted = true;
            ++next;
            count += 8;
        }
    }

    // At most 32 bits, of those that the last fill() has left.
    unsigned take(unsigned bits) {
        const unsigned value = static_cast<unsigned>(held & ((1ULL << bits) - 1));
        held >>= bits;
        count -= bits;
        return value;
    }
};

// A Huffman code of RFC 1951: what the next bits of the stream stand for, whatever follows them.
struct Code {
    unsigned longest;
    unsigned short entries[1 << 15];  // symbol * 16 + length of its word; 0 where there is no such word

    bool build(const unsigned char *lengths, unsigned symbols) {
        unsigned number[16] = {0}, word[16] = {0};
        longest = 0;
        for (unsigned symbol = 0; symbol < symbols; ++symbol) {
            if (lengths[symbol] == 0) continue;
            ++number[lengths[symbol]];
            if (longest < lengths[symbol]) longest = lengths[symbol];
        }
        for (unsigned length = 1; length < 16; ++length) {
            word[length] = (word[length - 1] + number[length - 1]) << 1;
            if (word[length] + number[length] > 1u << length) return false;
        }
        std::memset(entries, 0, sizeof entries[0] << longest);
        for (unsigned symbol = 0; symbol < symbols; ++symbol) {
            const unsigned length = lengths[symbol];
            if (length == 0) continue;
            unsigned reversed = 0;
            for (unsigned bit = 0; bit < length; ++bit) reversed |= (word[length] >> bit & 1) << (length - 1 - bit);
            ++word[length];
            const unsigned short entry = static_cast<unsigned short>(symbol << 4 | length);
            for (unsigned bits = reversed; bits < 1u << longest; bits += 1u << length) entries[bits] = entry;
        }
        return true;
    }

    // The next symbol; above all symbols if there is none.
    unsigned read(Bits &bits) const {
        const unsigned entry = entries[bits.held & ((1u << longest) - 1)];
        if (entry == 0) return 0xFFFF;
        bits.take(entry & 15);
        return entry >> 4;
    }
};

Code literals, distances;

bool read_codes(Bits &bits) {
    static const unsigned char ORDER[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    unsigned char lengths[320] = {0};
    bits.fill();
    const unsigned literal_count = bits.take(5) + 257;
    const unsigned distance_count = bits.take(5) + 1;
    const unsigned order_count = bits.take(4) + 4;
    for (unsigned at = 0; at < order_count; ++at) {
        bits.fill();
        lengths[ORDER[at]] = static_cast<unsigned char>(bits.take(3));
    }
    if (!literals.build(lengths, 19)) return false;
    for (unsigned at = 0; at < literal_count + distance_count;) {
        bits.fill();
        const unsigned symbol = literals.read(bits);
        if (symbol > 18) return false;
        unsigned repeat = 1;
        unsigned char length = static_cast<unsigned char>(symbol);
        if (symbol == 16) {
            if (at == 0) return false;
            length = lengths[at - 1];
            repeat = 3 + bits.take(2);
        } else if (symbol > 16) {
            length = 0;
            repeat = symbol == 17 ? 3 + bits.take(3) : 11 + bits.take(7);
        }
        if (at + repeat > literal_count + distance_count) return false;
        while (repeat--) lengths[at++] = length;
    }
    return literals.build(lengths, literal_count) && distances.build(lengths + literal_count, distance_count);
}

bool fixed_codes() {
    unsigned char lengths[288];
    for (unsigned symbol = 0; symbol < 288; ++symbol)
        lengths[symbol] = symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8;
    if (!literals.build(lengths, 288)) return false;
    std::memset(lengths, 5, 30);
    return distances.build(lengths, 30);
}

// Literals and copies, up to the end of their block.
bool inflate_block(Bits &bits, std::size_t &size) {
    static const unsigned short LENGTHS[29] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                               31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
    static const unsigned char LENGTH_BITS[29] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                                  2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
    static const unsigned short DISTANCES[30] = {1,   2,   3,   4,   5,   7,    9,    13,   17,   25,
                                                 33,  49,  65,  97,  129, 193,  257,  385,  513,  769,
                                                 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
    while (!bits.exhausted) {
        bits.fill();  // enough for a length and a distance: 15 + 5 + 15 + 13 bits
        unsigned symbol = literals.read(bits);
        if (symbol == 256) return true;
        if (symbol < 256) {
            if (size == PROGRAM_SIZE) return false;
            program[size++] = static_cast<unsigned char>(symbol);
            continue;
        }
        symbol -= 257;
        if (symbol >= 29) return false;
        std::size_t length = LENGTHS[symbol] + bits.take(LENGTH_BITS[symbol]);
        symbol = distances.read(bits);
        if (symbol >= 30) return false;
        const std::size_t distance = DISTANCES[symbol] + bits.take(symbol < 4 ? 0 : symbol / 2 - 1);
        if (distance > size || length > PROGRAM_SIZE - size) return false;
        for (; length > 0; --length, ++size) program[size] = program[size - distance];
    }
    return false;
}

bool stored_block(Bits &bits, std::size_t &size) {
    bits.take(bits.count & 7);
    bits.fill();
    std::size_t length = bits.take(16);
    if (bits.take(16) != (length ^ 0xFFFF) || length > PROGRAM_SIZE - size) return false;
    for (; length > 0; --length) {
        bits.fill();
        program[size++] = static_cast<unsigned char>(bits.take(8));
    }
    return !bits.exhausted;
}

// The packed bytes are a zlib stream (RFC 1950): two bytes of header, blocks, and a sum of what they unpack to.
bool inflate() {
    Bits bits;
    bits.fill();
    if (bits.take(8) != 0x78) return false;
    bits.take(8);
    std::size_t size = 0;
    for (bool last = false; !last;) {
        bits.fill();
        last = bits.take(1) != 0;
        const unsigned kind = bits.take(2);
        bool good = kind < 3;
        if (kind == 0) good = stored_block(bits, size);
        if (kind == 1) good = fixed_codes() && inflate_block(bits, size);
        if (kind == 2) good = read_codes(bits) && inflate_block(bits, size);
        if (!good) return false;
    }
    bits.take(bits.count & 7);
    bits.fill();
    unsigned long low = 1, high = 0, sum = 0;
    for (int byte = 0; byte < 4; ++byte) sum = sum << 8 | bits.take(8);
    for (std::size_t at = 0; at < size;) {
        // As many bytes as the sums hold in 32 bits.
        for (std::size_t end = size - at < 5552 ? size : at + 5552; at < end; ++at) high += low += program[at];
        low %= 65521;
        high %= 65521;
    }
    return size == PROGRAM_SIZE && sum == (high << 16 | low);
}

// ---------------------------------------------------------------- becoming the engine

char reasons[1024];

// Keeps the system's reason for later: another road may be open.
void refused(const char *what) {
    const int error = errno;
    const std::size_t used = std::strlen(reasons);
    std::snprintf(reasons + used, sizeof reasons - used, "\n  %s: %s", what, std::strerror(error));
}

bool write_program(int file) {
    // A limit on file sizes is a reason to try another road, not to end.
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

// Becomes the program in an open file, which needs no name any more. Returns if that is refused.
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
    // Kernels before 6.3 do not know that a file may be meant to be executed, and need not be told.
    if (file < 0 && errno == EINVAL) file = syscall(SYS_memfd_create, name, CLOSE_ON_EXEC);
    if (file < 0) return refused("a file in memory");
    if (write_program(static_cast<int>(file))) become(static_cast<int>(file));
    refused("the engine from memory");
    close(static_cast<int>(file));
#endif
}

// Writes the program to a file. Whatever is there of that name was left by a process that is gone.
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

// From a file that has lost its name before it is started.
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

// Has an orphan remove the file as soon as this process has become the engine, or has ended: both close the pipe
// whose one end is returned; -1 if there is no such orphan.
int remove_later(const char *path) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return -1;
    const pid_t child = fork();
    if (child == 0) {
        if (fork() == 0) {
            close(ends[1]);
            // The judge's pipes are the engine's alone.
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

// From a file by its name, for hosts that start programs in no other way.
void from_named_file(const char *path) {
    if (!write_file(path)) return;
    // Without an orphan the file stays: better than a match that is lost.
    const int pipe_end = remove_later(path);
    execve(path, arguments, environ);
    refused(path);
    unlink(path);
    if (pipe_end >= 0) close(pipe_end);
}

}  // namespace

int main() {
    if (!decode() || !inflate()) {
        std::fputs("quiver: the engine's text in this source is damaged: upload it as a file, unchanged\n", stderr);
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
