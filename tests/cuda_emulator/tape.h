/* Work recorded to be done later, in order: what a stream has been given, and what a graph replays.
 *
 * It is one growing buffer. A cleared tape keeps it, so that a steady state allocates nothing. */
#ifndef CUDA_EMULATOR_TAPE_H
#define CUDA_EMULATOR_TAPE_H

#include <new>
#include <stddef.h>
#include <type_traits>

namespace cudaemu
{

class tape
{
  public:
    tape() = default;
    ~tape();
    tape(const tape &) = delete;
    tape &operator=(const tape &) = delete;

    /* Adds work() to be called, perhaps many times. It is copied as bytes. */
    template <class T> void add(const T &work)
    {
        static_assert(std::is_trivially_destructible<T>::value && alignof(T) <= 16,
                      "work is copied as bytes");
        new (add_bytes(sizeof(T), [](void *bytes) { (*(T *)bytes)(); })) T(work);
    }
    void add(const tape &other);

    bool step();   // does the next one; false if none is left
    void rewind(); // goes back to the first one
    void clear();
    bool finished() const
    {
        return next == used;
    }
    size_t length() const
    {
        return count;
    }

  private:
    struct header {
        void (*run)(void *work);
        size_t bytes;
    };

    void *add_bytes(size_t bytes, void (*run)(void *work));
    void reserve(size_t bytes);

    char *memory = nullptr;
    size_t used = 0, room = 0, next = 0, count = 0;
};

} // namespace cudaemu

#endif
