//! What schedules must know about machines: each number that a pass, an analysis or a printer compares a kernel with, with its
//! unit, its reason, and where it comes from.
//!
//! *Guaranteed*: every device of the kind has it (CUDA programming guide; OpenCL 1.2, full profile). *Chosen*: a trade-off that
//! the benches `kernels`, `host` and `headlines` show if it is wrong, and that no model predicts yet. *Bounded*: it keeps the time
//! of compilation, or the length of the text, in proportion; larger kernels do without.

/// Numbers that all targets share.
pub mod any {
    /// Elements of the largest array of known size that a thread keeps in registers, that is passed by value, and whose
    /// functions become code. Chosen: 64 doubles take half of the 255 registers of a thread.
    pub const REGISTER_ARRAY: usize = 64;
    /// Copies of a loop body that `unroll` makes on request. Chosen: more make code slower.
    pub const UNROLL_COPIES: u32 = 64;
    /// Iterations of a short loop, which is unrolled: those over a [`REGISTER_ARRAY`], whose indices become constants by it.
    pub const SHORT_LOOP: i64 = REGISTER_ARRAY as i64;
    /// Expression nodes in all iterations of an unrolled loop. Bounded.
    pub const UNROLLED_NODES: usize = 2500;
    /// Positions below which a launch is better with more, although these add to common elements. Chosen: as many as large processors
    /// have threads.
    pub const FEW_POSITIONS: i32 = 64;
    /// Dimensions of launches whose positions go through planes, up to which these loops may run in order. Chosen: channels and pairs of
    /// them.
    pub const AROUND_PLANES: usize = 2;
    /// Iterations of the innermost loop of a nest of updates that stay inside of a position. Chosen: channels of pixels and coordinates of
    /// points have no more; 3 million counts of bytes by channel went from 7.5 to 2.2 ms.
    pub const ROW_OF_UPDATES: i64 = 4;
    /// Elements of a row up to which a loop over rows is a kernel in which each position goes through a row. Chosen: the functions of
    /// the library are faster for longer ones, and cost as much as some hundred elements.
    pub const SHORT_ROW: i32 = 512;
    /// Multiplications of the largest product of matrices that a thread computes by loops. Chosen: those of 24x24 matrices; the library
    /// packs larger ones.
    pub const LARGEST_OWN_PRODUCT: i32 = 24 * 24 * 24;
    /// What a side of a matrix counts at most there. Bounded, so that the product of three is an `int`.
    pub const LONGEST_OWN_SIDE: i32 = 1024;
    /// Logarithm of the elements of a longer row for each of the rows that a loop goes over, up to which it is a kernel. Chosen: threads of
    /// a device share a row, and so does a core; a launch for each row has all of them for one.
    pub const LONG_ROW_SHIFT: i32 = 10;
    /// Logarithm of the elements of a column for each of the columns that a loop goes over, up to which it is a kernel. Chosen: a
    /// thread of a device goes through as many elements as a launch for each column would take time for.
    pub const LONG_COLUMN_SHIFT: i32 = 13;
    /// The elements of an array for each iteration of a loop up to which the loop reads old ones from a copy. Chosen.
    pub const COPIED_SHARE: i32 = 4;
    /// Expression nodes at all uses of a row that is computed where it is used instead of kept. Chosen.
    pub const ROW_NODES: usize = 64;
    /// Statements and expressions of a function whose code may take the place of its calls in loops. Bounded.
    pub const INLINED_NODES: usize = 1000;
    /// The same of a loop behind that. Bounded.
    pub const LOOP_NODES: usize = 4000;
    /// Random numbers that are drawn at once before a loop. Chosen: 32 MB of them.
    pub const DRAWN: i32 = 1 << 23;
    /// Nodes of an index that is computed where it is used instead of kept. Chosen.
    pub const CHEAP_INDEX_NODES: usize = 12;
    /// Iterations of a recurrence whose results stay in variables for those behind them. Chosen: filters have two.
    pub const CARRIED_ITERATIONS: i64 = 2;
    /// How far a bound of a loop may be from a component of the position. Bounded, so that no sum of both wraps around.
    pub const TRIANGLE_OFFSET: i32 = 1 << 16;
}

/// Numbers of processors.
pub mod cpu {
    /// Lanes of vectors if few variables are wide. Chosen: floats fill two registers of AVX-512, four of AVX2.
    pub const LONG_VECTOR: u32 = 32;
    /// Elements of the largest box of a position, at most. Chosen: a 4x4 matrix.
    pub const BOX_ELEMENTS: u32 = 16;
    /// Elements of the largest box from which boxes pay. Chosen: vectors take up to four elements apart.
    pub const LEAST_BOX_ELEMENTS: u32 = 5;
    /// Positions of a box that are written out, at most. Chosen: a product of 4x4 matrices.
    pub const BOX_POSITIONS: i32 = 16;
    /// Nodes of all of them, at most. Bounded.
    pub const BOX_NODES: usize = 1500;
    /// Lanes of vectors if many variables are wide, so that they stay in registers. Chosen.
    pub const SHORT_VECTOR: u32 = 16;
    /// Launches that go strip by strip together, at most. Bounded.
    pub const GROUPED_LAUNCHES: usize = 16;
    /// Lanes that go down columns, at most. Measured (sums of columns): each row of an array gives a piece that is as long, and is
    /// on another page of memory.
    pub const COLUMN_LANES: u32 = 128;
    /// Bytes of the variables of all of them, at most. Chosen: half of the registers of AVX-512.
    pub const COLUMN_BYTES: usize = 1024;
    /// Iterations of a loop from which it is one down a column. Chosen: shorter ones are windows.
    pub const LONG_COLUMN: i64 = 16;
    /// Nodes of the expressions at all positions of a launch below which it is better a loop in a kernel that runs in order. Chosen: they
    /// take as long as it takes to start the launch, and threads do not share them.
    pub const SMALL_LAUNCH: i32 = 1 << 16;
    /// The same from which threads had better share one launch after the other than the iterations of a loop around them that has
    /// few, and from which positions had better not do it all alone. Chosen: a hundred times the start of a launch.
    pub const LARGE_LAUNCH: i32 = 1 << 20;
    /// Iterations of a loop in order that one launch takes, each of less work than that of a small launch. Chosen: at most a tenth of a
    /// second, after which a call can be cancelled, and many times what a launch costs.
    pub const LAUNCHED_ITERATIONS: i32 = 1 << 12;
    /// Nodes of the largest loop that is copied for a branch that is the same in all its iterations. Chosen: each such branch doubles the code.
    pub const UNSWITCHED: usize = 300;
    /// Strips of [`END_VECTOR`] iterations of an inner loop from which it goes by lanes where their number is a constant. Chosen: fewer
    /// are written out.
    pub const STRIPS: i64 = 2;
    /// Nodes of an expression that is added to an element which other threads add to, up to which one thread is faster than many.
    /// Chosen: an atomic addition costs as much as some dozen operations of a vector, for each of its lanes.
    pub const CONTENDED_NODES: usize = 16;
    /// Lanes of vectors at the ends of rows: one register of AVX2.
    pub const END_VECTOR: u32 = 8;
    /// Wide variables up to which vectors are long. Chosen.
    pub const WIDE_OF_LONG_VECTOR: usize = 3;
    /// Rows of a register tile, at most. Chosen: with long vectors they fill 8 registers of AVX-512, which hides the latency of
    /// additions, and loads of what the rows share are no longer the limit.
    pub const TILE_ROWS: u32 = 4;
    /// Bytes of the variables of all positions of a register tile, at most. Chosen: a quarter of the registers of AVX-512, all of AVX2.
    pub const TILE_BYTES: usize = 512;
    /// Expression nodes in all rows of a register tile. Bounded.
    pub const TILE_NODES: usize = 2000;
    /// Rows of a tile whose factors are packed: what a vector of the other factor is fetched for from the second cache. Measured.
    pub const CONTRACTION_ROWS: u32 = 8;
    /// Lanes of such tiles at the ends of rows, which may have fewer positions: one register of AVX-512.
    pub const CONTRACTION_END: u32 = 16;
    /// Columns of a strip of register tiles. Chosen: what a loop reads along them, row by row, stays in the cache for the next tile.
    pub const TILE_COLUMNS: i32 = 128;
    /// Elements between neighbouring lanes up to which they are fetched as vectors; others are gathered one by one. Chosen.
    pub const VECTOR_STRIDE: i64 = 4;
    /// Elements that columns have at most, where lanes read one of each. Chosen: as many as a cache line has.
    pub const CHANNELS: i32 = 16;
    /// Expression nodes of a part of a complex number that is computed anew for each use, in conditions. Bounded: products of products grow.
    pub const COMPLEX_NODES: usize = 24;
    /// Elements of small arrays that are combined to a number or a product, element by element. Bounded: code grows by them.
    pub const ELEMENTS_OF_FOLDS: usize = 16;
    /// Elements of a position where the kernel knows no number: those of a pixel. Chosen.
    pub const USUAL_ELEMENTS: u32 = 3;
    /// Components of positions from which the last may have few values, such as the channels of an image. Chosen.
    pub const COLLAPSED_RANK: usize = 3;
    /// The same where a position does no more than to compute its own elements of those at the same place: arrays of points have rows
    /// of two or three elements. Measured.
    pub const COLLAPSED_ELEMENTS_RANK: usize = 2;
    /// Values of the last component up to which it is collapsed with the one before it: rows along more are long. Chosen.
    pub const COLLAPSED_CHANNELS: i32 = 32;
    /// Values of the last two components up to which positions go one by one, though neighbours lie side by side. Chosen: vectors of a
    /// plane of twice as many cost less than what is done before them.
    pub const SHORT_PLANE: i32 = 64;
    /// Expression nodes of a position that has code of its own for short rows. Bounded.
    pub const SHORT_ROW_NODES: usize = 400;
    /// Addends of a sum over a window from which several rows share it. Chosen: shorter ones are as fast one by one.
    pub const STENCIL_ADDENDS: usize = 12;
    /// Copies of a histogram: positions next to each other add to different ones. Chosen.
    pub const HISTOGRAM_COPIES: usize = 8;
    /// Positions, before each of which the memory ahead is prefetched: 8 lines of 64 bytes of floats. Chosen.
    pub const PREFETCH_POSITIONS: usize = 128;
    /// Rows of a window up to which whole rows are visited: of higher windows the rows do not stay in the cache. Chosen.
    pub const ROWS_IN_CACHE: usize = 5;
    /// Columns of a strip of rows if windows are higher. Chosen: narrower strips cost more than they spare, since rows are read
    /// ahead the better the longer they are.
    pub const STRIP_COLUMNS: i32 = 4096;
    /// Lanes of a sum of floats: as many as the registers of AVX-512 hold. Chosen.
    pub const SUM_LANES: usize = 128;
    /// Places of one array that are written without atomics. Bounded: each access looks for its own.
    pub const BANDS: usize = 8;
    /// Rows or columns that a launch may begin before its first own position. Chosen: more are not worth it.
    pub const FARTHEST_ORIGIN: i32 = 64;
    /// Rows of a tile of positions that cross the rows of an array: the floats of a cache line. Measured (transpose).
    pub const POSITION_TILE_ROWS: usize = 16;
    /// Columns of such a tile. Measured (transpose).
    pub const POSITION_TILE_COLUMNS: i32 = 128;
    /// Expression nodes that may be made so that private arrays become variables. Bounded.
    pub const PRIVATE_ARRAY_NODES: usize = 8000;
    /// Elements among which an access chooses by comparisons. Chosen: more cost as much as the access by memory.
    pub const PRIVATE_ARRAY_CHOICES: usize = 32;
    /// Rounds of a `while` loop that becomes branches. Bounded.
    pub const PRIVATE_ARRAY_ROUNDS: usize = 32;
    /// Statements behind such a loop that are done in each of its ends, where an index is known. Bounded.
    pub const PRIVATE_ARRAY_TAIL: usize = 2;
    /// Nodes of an index that is computed for each comparison instead of kept. Chosen.
    pub const PRIVATE_ARRAY_INDEX: usize = 6;
    /// Values of an integer that are told apart. Bounded.
    pub const PRIVATE_ARRAY_VALUES: usize = 32;
    /// Terms of the end of a window, and limits of it, up to which sums of them do not leave `int`. Bounded.
    pub const WINDOW_TERM: i32 = 1 << 28;
    /// The last column of a window, to which so many terms are added. Bounded.
    pub const WINDOW_COLUMNS: i32 = 1 << 30;
    /// The most terms of the end of a window beside the column. Bounded.
    pub const WINDOW_TERMS: usize = 3;
    /// What a value costs, in additions, from which it goes to a table before a launch. Chosen: an element of a table costs as much as a few.
    pub const TABLE_COST: u32 = 8;
    /// Tables of a launch. Bounded.
    pub const TABLES: usize = 24;
    /// Loops along which a table may lie, besides a component of the position. Bounded.
    pub const TABLE_LOOPS: usize = 2;
    /// Elements of a table, at most. Chosen: it stays in the cache.
    pub const TABLE_ELEMENTS: f64 = (1 << 20) as f64;
    /// Elements of a table that holds rows of positions side by side, at most. Bounded: a vector of positions reads a part that stays in
    /// the cache.
    pub const TURNED_ELEMENTS: f64 = (1 << 24) as f64;
    /// Positions along some component that share each element of a table. Chosen: filling it costs little beside them.
    pub const TABLE_REUSE: i32 = 8;
    /// Positions of a launch from which it fills tables. Chosen: fewer are done before tables are made.
    pub const TABLE_LAUNCH: f64 = 4096.0;
    /// Expression nodes of a kernel that has a version without tests of indices. Bounded: the version doubles its code.
    pub const UNTESTED_NODES: usize = 400;
    /// Conditions of a launch for such a version, at most. Bounded.
    pub const UNTESTED_CONDITIONS: usize = 16;
    /// Assignments in the branches of an `if` that becomes choices. Chosen: the condition is cheap beside them.
    pub const CHOICE_ASSIGNMENTS: usize = 4;
}

/// Numbers of devices: GPUs through CUDA or OpenCL.
pub mod gpu {
    use quasar_devicelib::device_text::results;

    /// Threads of a warp, at most. Guaranteed by CUDA.
    pub const WARP: i32 = 32;
    /// Threads of a block, at most. Guaranteed by CUDA.
    pub const BLOCK_THREADS: u32 = 1024;
    /// Threads of a block if neither program nor schedule choose. Chosen.
    pub const USUAL_BLOCK_THREADS: u32 = 256;
    /// Threads along an axis of a block of several that lies within the tiles of its shared arrays. Chosen: a square of the
    /// usual threads.
    pub const BLOCK_SIDE: u32 = 16;
    /// Threads that fill a device. Chosen: 128 for each of 128 multiprocessors.
    pub const FILLING_THREADS: i32 = 16384;
    /// Components of a position, at most; all but the last two share the third dimension of the grid. Bounded.
    pub const POSITION_COMPONENTS: usize = 16;
    /// Arrays in constant memory. Guaranteed by OpenCL (`CL_DEVICE_MAX_CONSTANT_ARGS`).
    pub const CONSTANT_ARRAYS: usize = 8;
    /// Bytes of a static shared array, and of the arrays that a pass moves to shared memory: a third of the
    /// guaranteed 48 KiB stays free. Chosen.
    pub const STATIC_SHARED_BYTES: u64 = 32 << 10;
    /// Rows of a matrix that a thread solves or inverts: what the library for devices has code for.
    pub const SOLVED_ROWS: usize = 8;
    /// Values in the record of an error, at most: its size in the library for devices.
    pub const FAULT_VALUES: usize = 16;

    /// Bytes of the widest memory instruction, `float4`. Guaranteed.
    pub const VECTOR_BYTES: usize = 16;
    /// Elements that a thread of a kernel with loops processes at a time. Chosen: more need registers of several iterations.
    pub const VECTOR_IN_LOOPS: usize = 4;
    /// Threads of a block in a grid-stride kernel. Chosen.
    pub const GRID_STRIDE_THREADS: u32 = 256;

    /// Threads of a block in a split reduction. Chosen.
    pub const SPLIT_THREADS: u32 = 256;
    /// The most positions of such a block where neighbouring ones read neighbouring elements: those of a line of memory. A power of two.
    pub const SPLIT_COLUMNS: u32 = 32;
    /// Positions for which a split reduction may use several blocks each: the counters of its scratch memory.
    pub const SPLIT_COUNTERS: u32 = results::COUNTERS as u32;
    /// Iterations from which a loop is split among threads. Chosen: 16 for each thread of a block.
    pub const SPLIT_TRIP_COUNT: i64 = 4096;
    /// Iterations of a simple split loop whose loads are in flight at once. Chosen.
    pub const SPLIT_UNROLL: u32 = 8;
    /// Blocks for a position that pay off if each thread has only [`SPLIT_UNROLL`] iterations. Chosen.
    pub const SPLIT_FEW_BLOCKS: u32 = 32;
    /// Statements of a simple split loop. Chosen.
    pub const SPLIT_SIMPLE_STATEMENTS: usize = 4;

    /// Threads of a block for each position, at most. Chosen: each has half of the 255 registers.
    pub const POSITION_THREADS: u32 = 512;
    /// Iterations from which the threads of a block share a loop. Chosen: two for each thread of a warp.
    pub const BLOCK_TRIP_COUNT: i64 = 64;

    /// Rows and columns of the tile of a block of threads, each of which has [`TILE_SIDE`] of both. Measured (products of 1024 and
    /// 4096 rows, layers of 64 channels): 64 by 32, 128 by 64 and 128 by 128 with 8 by 8 for each thread are up to 13 % faster for some,
    /// and up to twice as slow for others.
    pub const BLOCK_TILE_SIDE: u32 = 64;
    /// Threads of such a block.
    pub const BLOCK_TILE_THREADS: u32 = (BLOCK_TILE_SIDE / TILE_SIDE) * (BLOCK_TILE_SIDE / TILE_SIDE);
    /// Iterations whose factors are staged at a time. Measured with the sides.
    pub const BLOCK_TILE_STAGED: u32 = 16;
    /// Elements of each factor that a thread fetches at a time.
    pub const BLOCK_TILE_FETCHED: u32 = BLOCK_TILE_SIDE * BLOCK_TILE_STAGED / BLOCK_TILE_THREADS;
    /// Elements of a line of staged factors. Chosen: threads that write one down a column use different banks of shared memory.
    pub const BLOCK_TILE_LINE: u32 = BLOCK_TILE_SIDE + 4;
    /// Threads of a warp along the columns of its part of a tile. Chosen: what a warp reads of both factors are whole lines of 128 bytes
    /// at most.
    pub const WARP_TILE_COLUMNS: u32 = 8;

    /// Threads of a block of a tiled kernel in one dimension, and so the distance between a thread's positions. Chosen.
    pub const TILE_THREADS: u32 = 128;
    /// Positions of a register tile. Chosen: 8 sums of floats leave registers for what they share.
    pub const TILE_POSITIONS: u32 = 8;
    /// Elements of a private array for all positions of a tile. Chosen: half of the 255 registers of a thread; more would be
    /// kept in local memory, which costs more than the loads that the tile spares.
    pub const TILE_ELEMENTS: usize = 128;
    /// Expression nodes of an iteration up to which loops in tiles are unrolled. Bounded.
    pub const TILE_UNROLLED_NODES: usize = 60;
    /// Expression nodes in all positions of a tile. Bounded.
    pub const TILE_NODES: usize = 12000;
    /// Loads that each position must save for a tile to pay off. Chosen.
    pub const TILE_SAVED_LOADS: usize = 3;
    /// Iterations that a loop of unknown trip count stands for where loads are counted.
    pub const TILE_ITERATIONS: usize = 8;
    /// Rows of windows that are counted. Bounded.
    pub const TILE_WINDOW_ROWS: i64 = 64;
    /// Elements of a row of a window from which it stays a loop. Chosen.
    pub const TILE_ROW_ELEMENTS: usize = 5;
    /// Iterations up to which compilers of devices are told to unroll a loop of a tile. Chosen.
    pub const TILE_UNROLLED_ITERATIONS: i64 = 64;
    /// Expression nodes of all iterations of an unrolled loop of a tile. Bounded: more only take time to compile, and do not fit the cache
    /// of instructions.
    pub const TILE_UNROLLED_CODE: usize = 4096;
    /// Rows and columns that a thread has of the tile of its block, the elements of a vector of floats. Measured (products of 1024 and 4096 rows).
    pub const TILE_SIDE: u32 = 4;

    /// Iterations of a group in loops that look for an argmin or argmax. Chosen.
    pub const ARG_EXTREMUM_GROUP: i32 = 4;
    /// Iterations from which such groups pay off. Chosen.
    pub const ARG_EXTREMUM_TRIP_COUNT: i32 = 16;
    /// Expression nodes of an iteration up to which the comparison dominates it. Chosen.
    pub const ARG_EXTREMUM_NODES: usize = 120;
}
