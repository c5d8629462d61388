// The heap for dynamically sized arrays of threads: a lock-free bitmap allocator. The memory is divided into pages of
// 1024 bytes, and each 32-bit word of the bitmap covers 32 pages. A thread allocates a chunk of 1, 2, 4, .. 32 pages by
// one compare-and-swap of a word, and bump-allocates arrays in it. Everything allocated since some point of the program
// is freed at once.
//
// The memory begins with the bitmap, which is zero before a launch; behind it are four numbers for each page. A thread
// uses those of the first page of a chunk as a link to its previous chunk.

//:
typedef struct q_heap {
    volatile Q_GLOBAL q_u32 *words;
    Q_GLOBAL q_u32 *before;
    Q_GLOBAL q_u8 *pages;
    q_u32 count, next, page, used, size;
} q_heap;

Q_FN void q_heap_begin(Q_PRIVATE q_heap *heap, Q_GLOBAL q_u32 *words, Q_GLOBAL q_u8 *pages, q_u32 count, q_u32 thread) {
    heap->words = words;
    heap->before = words + count;
    heap->pages = pages;
    heap->count = count;
    // Threads start their search at different words, to avoid contention.
    heap->next = (thread / 32u * 2654435769u) % count;
    heap->page = 0;
    heap->used = 0;
    heap->size = 0;
}

// Allocates pages, a power of two up to 32. Returns the number of the first one, or all bits set if there are none.
Q_FN q_u32 q_heap_take(Q_PRIVATE q_heap *heap, q_u32 pages) {
    const q_u32 mask = pages >= 32u ? 0xffffffffu : (1u << pages) - 1u;
    for (q_u32 k = 0; k < heap->count; ++k) {
        q_u32 word = heap->next + k;
        if (word >= heap->count) word -= heap->count;
        q_u32 old = heap->words[word];
        for (q_u32 at = 0; at < 32u; at += pages) {
            while ((old & (mask << at)) == 0) {
                const q_u32 seen = q_swap_if_u32(&heap->words[word], old, old | (mask << at));
                if (seen == old) {
                    heap->next = word;
                    return word * 32u + at;
                }
                old = seen;
            }
        }
    }
    return 0xffffffffu;
}

// Frees pages. The fence orders this thread's writes to them before those of the next owner.
Q_FN void q_heap_give(Q_PRIVATE q_heap *heap, q_u32 page, q_u32 pages) {
    const q_u32 mask = pages >= 32u ? 0xffffffffu : (1u << pages) - 1u;
    Q_FENCE_GRID();
    q_atomic_and_u32((volatile Q_GLOBAL q_u32 *)&heap->words[page / 32u], ~(mask << (page % 32u)));
}

// Allocates bytes; null if there is no room. A thread without chunks spins until others free theirs, which cannot
// depend on it.
Q_FN Q_GLOBAL q_u8 *q_heap_bytes(Q_PRIVATE q_heap *heap, q_u64 wanted) {
    if (wanted > 32768u) return 0;
    const q_u32 bytes = ((q_u32)wanted + 15u) / 16u * 16u;
    if (heap->size == 0 || heap->used + bytes > heap->size) {
        q_u32 pages = 1;
        while (pages * 1024u < bytes) pages *= 2;
        q_u32 page = q_heap_take(heap, pages);
        for (q_u32 k = 0; page == 0xffffffffu && heap->size == 0 && k < 100000u; ++k) page = q_heap_take(heap, pages);
        if (page == 0xffffffffu) return 0;
        Q_GLOBAL q_u32 *before = heap->before + page * 4u;
        before[0] = heap->page;
        before[1] = heap->used;
        before[2] = heap->size;
        heap->page = page;
        heap->used = 0;
        heap->size = pages * 1024u;
    }
    Q_GLOBAL q_u8 *found = heap->pages + (Q_INDEX)heap->page * 1024 + heap->used;
    heap->used += bytes;
    return found;
}

// Frees everything allocated since the thread had used so many bytes of a chunk. One chunk is kept for later
// allocations.
Q_FN void q_heap_release(Q_PRIVATE q_heap *heap, q_u32 page, q_u32 used, q_u32 size) {
    while (heap->size != 0 && (size == 0 || heap->page != page)) {
        Q_GLOBAL q_u32 *before = heap->before + heap->page * 4u;
        if (size == 0 && before[2] == 0) {
            heap->used = 0;
            return;
        }
        // Read before the pages are freed: their next owner overwrites it.
        const q_u32 last = before[0], filled = before[1], bytes = before[2];
        q_heap_give(heap, heap->page, heap->size / 1024u);
        heap->page = last;
        heap->used = filled;
        heap->size = bytes;
    }
    heap->used = used;
}

// Frees everything.
Q_FN void q_heap_end(Q_PRIVATE q_heap *heap) {
    while (heap->size != 0) {
        Q_GLOBAL q_u32 *before = heap->before + heap->page * 4u;
        const q_u32 page = before[0], size = before[2];
        q_heap_give(heap, heap->page, heap->size / 1024u);
        heap->page = page;
        heap->size = size;
    }
}
