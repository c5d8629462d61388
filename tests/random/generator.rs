//! Typed random programs: well-defined, terminating, and exact, so that every engine must print the same text.
//!
//! Integers wrap, so any integer expression is exact. Floats are multiples of 1/8 of moderate size: sums, products with
//! small factors, minima and selections of them are exact in single precision, and are brought back into range before
//! they grow. Which of 0 and -0 is larger is open, so what extremes give gets 0 added, which is never -0. Indices are in
//! range or go through a boundary mode. Conditions compare exact values only.

mod ahead;
mod aliases;
mod arrays;
mod bounds;
mod carried;
mod cells;
mod chains;
mod choices;
mod containers;
mod contractions;
mod control;
mod draws;
mod expressions;
mod functions;
mod generics;
mod graphs;
mod in_place;
mod kernels;
mod nests;
mod numbers;
mod objects;
mod orders;
mod own_arrays;
mod pixels;
mod places;
mod products;
pub(super) mod random;
mod recovery;
mod recurrences;
mod recursion;
mod rows;
mod rules;
mod shared;
mod slices;
mod state_arrays;
mod stencils;
mod threads;
mod triangles;
mod unset;
mod values;
mod windows;

use random::Random;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Int,
    Float,
}

#[derive(Clone, Debug)]
struct Array {
    name: String,
    kind: Kind,
    /// One or two extents, known to the generator so that indices can be kept in range.
    dims: Vec<i64>,
    /// The boundary mode it was declared with, if any.
    mode: Option<&'static str>,
}

#[derive(Clone, Debug)]
struct Function {
    name: String,
    /// Whether device functions may call it.
    device: bool,
    params: Vec<Kind>,
    result: Kind,
}

/// An index variable with the range of its values.
#[derive(Clone, Debug)]
struct Counter {
    name: String,
    low: i64,
    high: i64,
}

/// Writes one program.
pub(crate) struct Generator {
    random: Random,
    text: String,
    indent: usize,
    scalars: Vec<(String, Kind)>,
    arrays: Vec<Array>,
    counters: Vec<Counter>,
    functions: Vec<Function>,
    names: usize,
    /// Statements left to write.
    budget: usize,
    /// Kernels and functions that statements of `main` need.
    definitions: String,
    /// Constants, rules and macros that they need, which stand before everything that uses them.
    prologue: String,
    /// Whether the text is that of a kernel, which calls device functions only and does not write arrays as it likes.
    in_kernel: bool,
    /// Modules of the library that it needs.
    imports: BTreeSet<&'static str>,
    /// What the program has, and how often.
    constructs: BTreeMap<&'static str, usize>,
}

/// How programs begin whose `scalar` has double precision.
const DOUBLE: &str = "% double";

/// Whether `scalar` has double precision in a program.
pub(crate) fn is_double(text: &str) -> bool {
    text.starts_with(DOUBLE)
}

/// The program for a seed. Where `QUASAR_SEEDS_WITH` names a construct, it is one that has it.
pub(crate) fn program(seed: u64) -> String {
    let Ok(construct) = std::env::var("QUASAR_SEEDS_WITH") else { return write_program(seed).0 };
    let mut programs = (0..1000).map(|k| write_program(seed * 1000 + k));
    let found = programs.find(|(_, constructs)| constructs.contains_key(construct.as_str()));
    found.unwrap_or_else(|| panic!("no program has '{construct}'")).0
}

/// The program for a seed, and how often it has which construct.
pub(crate) fn write_program(seed: u64) -> (String, BTreeMap<&'static str, usize>) {
    let mut generator = Generator {
        random: Random::new(seed),
        text: String::new(),
        indent: 0,
        scalars: Vec::new(),
        arrays: Vec::new(),
        counters: Vec::new(),
        functions: Vec::new(),
        names: 0,
        budget: 0,
        definitions: String::new(),
        prologue: String::new(),
        in_kernel: false,
        imports: BTreeSet::new(),
        constructs: BTreeMap::new(),
    };
    generator.unit();
    (generator.text, generator.constructs)
}

/// What stands in `main` itself, outside of branches and loops.
const SPECIAL: &[fn(&mut Generator)] = &[
    Generator::flat_kernel,
    Generator::block_kernel,
    Generator::shared_table,
    Generator::global_atomics,
    Generator::kernel_result,
    Generator::kernel_lambda,
    Generator::function_argument,
    Generator::shared_designator,
    Generator::shared_values,
    Generator::tiled_kernel,
    Generator::host_lambda,
    Generator::small_array,
    Generator::sized_integers,
    Generator::refused_store,
    Generator::text_and_format,
    Generator::slice_store,
    Generator::slice_exchange,
    Generator::boundary_name,
    Generator::cube,
    Generator::pixels,
    Generator::iterated_complex,
    Generator::masked_store,
    Generator::library_call,
    Generator::cell,
    Generator::tuples,
    Generator::dynamic_object,
    Generator::objects,
    Generator::objects_in_a_cell,
    Generator::comparison_of_shapes,
    Generator::linked_list,
    Generator::methods,
    Generator::parametric_class,
    Generator::array_of_objects,
    Generator::objects_in_kernels,
    Generator::labelled_loops,
    Generator::labelled_search,
    Generator::caught_errors,
    Generator::enumeration,
    Generator::complex_numbers,
    Generator::complex_arrays,
    Generator::double_variables,
    Generator::several_outputs,
    Generator::spread_arguments,
    Generator::optional_parameters,
    Generator::variadic_function,
    Generator::curried_lambda,
    Generator::chosen_function,
    Generator::recursive_function,
    Generator::inner_function,
    Generator::generic_function,
    Generator::size_parameters,
    Generator::module_variables,
    Generator::conditional_rules,
    Generator::algebraic_rule,
    Generator::variadic_rule,
    Generator::macros,
    Generator::unset_variable,
    Generator::unset_in_kernel,
    Generator::unset_result,
    Generator::lists_in_kernels,
    Generator::lists_changed_in_kernels,
    Generator::tree_in_kernel,
    Generator::pushes_in_kernel,
    Generator::null_in_kernel,
    Generator::scheduled_kernels,
    Generator::memory_in_kernel,
    Generator::group_sums,
    Generator::group_votes,
    Generator::nested_launch,
    Generator::sequences_of_the_library,
    Generator::table_of_the_library,
    Generator::containers_in_kernels,
    Generator::dependent_loop,
    Generator::aliases,
    Generator::aliases,
    Generator::loop_attribute,
    Generator::type_classes,
    Generator::function_values,
    Generator::modified_parameters,
    Generator::match_of_numbers,
    Generator::match_of_texts,
    Generator::match_of_members,
    Generator::match_of_conditions,
    Generator::recursion_over_halves,
    Generator::recursion_with_errors,
    Generator::recursion_through_values,
    Generator::recursion_over_a_tree,
    Generator::caught_faults,
    Generator::faults_in_calls,
    Generator::allocations_not_made,
    Generator::overlapping_slices,
    Generator::held_slices,
    Generator::slices_as_arguments,
    Generator::arrays_in_fields,
    Generator::cells_of_arrays,
    Generator::several_places,
    Generator::rounds_of_each_position,
    Generator::loop_over_rows,
    Generator::loop_over_rows,
    Generator::chain_of_arrays,
    Generator::chain_of_arrays,
    Generator::chain_of_stencils,
    Generator::chain_of_stencils,
    Generator::contraction,
    Generator::contraction,
    Generator::products_of_slices,
    Generator::sums_of_slices_in_order,
    Generator::arrays_in_order,
    Generator::elements_of_other_iterations,
    Generator::elements_of_other_iterations,
    Generator::arrays_in_order,
    Generator::loop_over_triangle,
    Generator::window_at_the_border,
    Generator::window_at_the_border,
    Generator::arrays_of_iterations,
    Generator::arrays_of_iterations,
    Generator::loop_over_triangle,
    Generator::loop_with_draws,
    Generator::loop_with_draws,
    Generator::loop_over_stored_elements,
    Generator::loop_in_two_directions,
    Generator::loop_in_two_directions,
    Generator::loop_that_changes_bounds,
    Generator::loop_that_changes_bounds,
    Generator::sizes_as_bounds,
    Generator::sizes_as_bounds,
    Generator::loop_with_jumps,
    Generator::loop_with_jumps,
    Generator::guarded_recurrence,
    Generator::guarded_recurrence,
    Generator::sums_of_two_loops,
    Generator::weighted_windows,
    Generator::update_in_place,
    Generator::update_in_place,
    Generator::update_of_a_vector,
    Generator::update_of_planes,
    Generator::sum_in_an_element,
    Generator::sum_in_an_element,
    Generator::launch_in_place,
    Generator::launch_over_halves,
    Generator::stores_to_rows_and_columns,
];

impl Generator {
    fn line(&mut self, text: impl AsRef<str>) {
        for _ in 0..self.indent {
            self.text.push_str("    ");
        }
        self.text.push_str(text.as_ref());
        self.text.push('\n');
    }

    fn open(&mut self, text: impl AsRef<str>) {
        self.line(text);
        self.indent += 1;
    }

    fn close(&mut self, text: &str) {
        self.indent -= 1;
        self.line(text);
    }

    fn name(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    fn note(&mut self, construct: &'static str) {
        *self.constructs.entry(construct).or_insert(0) += 1;
    }

    fn unit(&mut self) {
        if self.random.chance(10) {
            self.note("program in double precision");
            self.line(DOUBLE);
        }
        self.line("import \"inttypes.q\"");
        let start = self.text.len();
        for _ in 0..self.random.below(3) {
            self.function();
        }
        if self.random.chance(40) {
            self.kernel_program();
        }
        self.open("function [] = main()");
        for kind in [Kind::Int, Kind::Float] {
            for _ in 0..2 {
                self.new_scalar(kind);
            }
        }
        for _ in 0..2 + self.random.below(2) {
            self.new_array();
        }
        self.budget = 6 + self.random.below(8);
        self.statements(0);
        self.report();
        self.close("endfunction");
        self.text.insert_str(start, &self.prologue);
        let imports: String = self.imports.iter().map(|module| format!("import \"{module}\"\n")).collect();
        self.text.insert_str(start, &imports);
        self.text.push_str(&self.definitions);
    }

    /// Adds a definition behind `main`.
    fn define(&mut self, text: &str) {
        self.definitions.push_str(text);
        self.definitions.push('\n');
    }

    /// Adds a definition before all functions.
    fn define_first(&mut self, text: &str) {
        self.prologue.push_str(text);
        self.prologue.push('\n');
    }

    // ---- functions

    fn function(&mut self) {
        // A device function may call device functions only, so no host function comes before one.
        let is_device = self.random.chance(60) && self.functions.iter().all(|function| function.device);
        let device = if is_device { "__device__ " } else { "" };
        let result = self.kind();
        let params: Vec<Kind> = (0..1 + self.random.below(3)).map(|_| self.kind()).collect();
        let name = self.name("f");
        let written: Vec<String> =
            params.iter().enumerate().map(|(k, kind)| format!("p{k} : {}", type_name(*kind))).collect();
        let head = format!("function y : {} = {device}{name}({})", type_name(result), written.join(", "));
        self.open(head);
        let outer = std::mem::take(&mut self.scalars);
        self.scalars = params.iter().enumerate().map(|(k, kind)| (format!("p{k}"), *kind)).collect();
        let expr = self.expr(result, 2);
        self.line(format!("y = {expr}"));
        if self.random.chance(50) {
            let condition = self.condition(1);
            let expr = self.expr(result, 1);
            self.open(format!("if {condition}"));
            self.line(format!("y = {expr}"));
            self.close("endif");
        }
        self.bound("y", result);
        self.scalars = outer;
        self.close("endfunction");
        self.functions.push(Function { name, device: is_device, params, result });
    }

    /// A kernel with one array to read through a boundary mode and one to write, to be launched by `main`.
    fn kernel_program(&mut self) {
        let mode = *self.random.pick(&["mirror", "circular", "clamped", "safe"]);
        let offset = [self.random.between(-2, 2), self.random.between(-2, 2)];
        self.open(format!(
            "function [] = __kernel__ shade(src : mat'{mode}, dst : mat, k : scalar, pos : ivec2)"
        ));
        self.line("total = 0.0");
        self.open("for dy = -1..1");
        self.line(format!("total += src[pos + [dy + {}, {}]]", offset[0], offset[1]));
        self.close("endfor");
        self.line("dst[pos] = min(max(total + k, -64.0), 64.0)");
        self.close("endfunction");
        self.functions.push(Function {
            name: "shade".into(),
            device: true,
            params: Vec::new(),
            result: Kind::Float,
        });
    }

    // ---- declarations

    fn kind(&mut self) -> Kind {
        if self.random.chance(50) { Kind::Int } else { Kind::Float }
    }

    fn new_scalar(&mut self, kind: Kind) {
        let name = self.name(if kind == Kind::Int { "i" } else { "s" });
        let value = self.literal(kind);
        self.line(format!("{name} = {value}"));
        self.scalars.push((name, kind));
    }

    fn new_array(&mut self) {
        let kind = if self.random.chance(35) { Kind::Int } else { Kind::Float };
        let rank = 1 + self.random.below(2);
        let dims: Vec<i64> = (0..rank).map(|_| self.random.between(1, 9)).collect();
        let mode =
            self.random.chance(60).then(|| *self.random.pick(&["mirror", "circular", "clamped", "safe"]));
        let name = self.name(if kind == Kind::Int { "I" } else { "A" });
        let annotation = mode.map_or(String::new(), |mode| format!(" : '{mode}"));
        let array = Array { name, kind, dims, mode };
        match self.random.below(10) {
            0..=4 => {
                let value = self.array_literal(&array);
                self.line(format!("{}{annotation} = {value}", array.name));
            }
            5 | 6 => {
                let (a, c) = (self.random.between(1, 7), self.random.between(-4, 4));
                let count: i64 = array.dims.iter().product();
                let sizes = kernels::list(&array.dims);
                let divisor = if kind == Kind::Int { "" } else { "/4" };
                let value = format!("mod({a}*(0..{}) + {c}, 13){divisor}", count - 1);
                self.line(format!("{}{annotation} = reshape({value}, {sizes})", array.name));
            }
            _ => self.filled_array(&array, &annotation),
        }
        self.arrays.push(array);
    }

    /// All elements of an array as they are written.
    fn array_literal(&mut self, array: &Array) -> String {
        let mut row = |length: i64| {
            let elements: Vec<String> = (0..length).map(|_| self.literal(array.kind)).collect();
            format!("[{}]", elements.join(", "))
        };
        match array.dims[..] {
            [rows, columns] => {
                let rows: Vec<String> = (0..rows).map(|_| row(columns)).collect();
                format!("[{}]", rows.join(", "))
            }
            _ => row(array.dims[0]),
        }
    }

    /// An array that a nest of loops fills.
    fn filled_array(&mut self, array: &Array, annotation: &str) {
        let maker = if array.kind == Kind::Int { "zeros[int]" } else { "zeros" };
        self.line(format!("{}{annotation} = {maker}({})", array.name, kernels::list(&array.dims)));
        let (a, b, c) = (self.random.between(1, 7), self.random.between(1, 5), self.random.between(-4, 4));
        self.for_each_position(array, |this, at| {
            let sum = match at {
                [m] => format!("{a}*{m} + {c}"),
                [m, n] => format!("{a}*{m} + {b}*{n} + {c}"),
                _ => String::from("0"),
            };
            let value = match array.kind {
                Kind::Int => format!("mod({sum}, 13)"),
                Kind::Float => format!("mod({sum}, 13)/4"),
            };
            this.line(format!("{}[{}] = {value}", array.name, at.join(", ")));
        });
    }

    /// A nest over all positions of an array.
    fn for_each_position(&mut self, array: &Array, body: impl FnOnce(&mut Self, &[String])) {
        let depth = self.counters.len();
        let mut at = Vec::new();
        for (axis, extent) in array.dims.iter().enumerate() {
            let name = self.name("n");
            let last = if self.random.chance(70) {
                format!("size({},{axis})-1", array.name)
            } else {
                (extent - 1).to_string()
            };
            self.open(format!("for {name} = 0..{last}"));
            self.counters.push(Counter { name: name.clone(), low: 0, high: extent - 1 });
            at.push(name);
        }
        body(self, &at);
        for _ in &array.dims {
            self.close("endfor");
        }
        self.counters.truncate(depth);
    }

    // ---- statements

    fn statements(&mut self, depth: usize) {
        while self.budget > 0 {
            self.budget -= 1;
            self.statement(depth);
            if depth > 0 && self.random.chance(40) {
                return;
            }
        }
    }

    fn statement(&mut self, depth: usize) {
        if depth == 0 && self.random.chance(55) {
            return self.special_statement();
        }
        let choice = self.random.below(if depth == 0 { 15 } else { 10 });
        match choice {
            9 if depth > 0 => self.small_array(),
            0 | 1 => self.assign_scalar(),
            2 => self.compound_scalar(),
            3 => self.store_element(),
            4 if depth < 3 => self.branch(depth),
            5 if depth < 2 => self.counted_loop(depth),
            6 if depth < 2 => self.conditional_loop(depth),
            7 => self.choose(),
            8 => self.swap(),
            9 | 10 => self.map_nest(),
            11 => self.reduction_nest(),
            12 => self.array_expression(),
            13 => self.histogram(),
            14 => self.launch_or_slice(),
            _ => self.assign_scalar(),
        }
    }

    fn special_statement(&mut self) {
        let statement = *self.random.pick(SPECIAL);
        statement(self);
    }

    fn scalar(&mut self, kind: Kind) -> Option<String> {
        // Fields of objects are for the host.
        let usable = |name: &str| !self.in_kernel || !name.contains('.');
        let fitting = self.scalars.iter().filter(|(name, k)| *k == kind && usable(name));
        let of_kind: Vec<String> = fitting.map(|(name, _)| name.clone()).collect();
        (!of_kind.is_empty()).then(|| self.random.pick(&of_kind).clone())
    }

    fn assign_scalar(&mut self) {
        let kind = self.kind();
        let Some(name) = self.scalar(kind) else { return };
        let value = self.expr(kind, 3);
        self.line(format!("{name} = {value}"));
        self.bound(&name, kind);
    }

    fn compound_scalar(&mut self) {
        let kind = self.kind();
        let Some(name) = self.scalar(kind) else { return };
        let op = *self.random.pick(match kind {
            Kind::Int => &["+=", "-=", "*=", "&=", "|=", "~=", "^^=", "__="][..],
            Kind::Float => &["+=", "-=", "^^=", "__="][..],
        });
        let value = self.expr(kind, 2);
        self.line(format!("{name} {op} {value}"));
        self.bound(&name, kind);
    }

    /// Brings a float back into the range in which arithmetic stays exact. Its zero gets a known sign: extremes may give
    /// either zero.
    fn bound(&mut self, name: &str, kind: Kind) {
        if kind == Kind::Float {
            self.line(format!("{name} = floor(8*min(max({name}, -60.0), 60.0))/8 + 0.0"));
        }
    }

    fn store_element(&mut self) {
        if self.in_kernel {
            return self.assign_scalar();
        }
        let Some(array) = self.some_array(None) else { return };
        let at: Vec<String> = array.dims.iter().map(|extent| self.index_within(*extent)).collect();
        let value = self.element_value(array.kind, 2);
        self.line(format!("{}[{}] = {value}", array.name, at.join(", ")));
    }

    fn branch(&mut self, depth: usize) {
        self.note("if");
        let condition = self.condition(2);
        self.open(format!("if {condition}"));
        self.statements(depth + 1);
        if self.random.chance(30) {
            let condition = self.condition(1);
            self.indent -= 1;
            self.line(format!("elseif {condition}"));
            self.indent += 1;
            self.assign_scalar();
        }
        if self.random.chance(60) {
            self.indent -= 1;
            self.line("else");
            self.indent += 1;
            self.assign_scalar();
            self.compound_scalar();
        }
        self.close("endif");
    }

    fn counted_loop(&mut self, depth: usize) {
        self.note("for loop");
        let name = self.name("k");
        let (low, count) = (self.random.between(-3, 3), self.random.between(0, 6));
        let header = match self.random.below(3) {
            0 => format!("for {name} = {low}..{}", low + count - 1),
            1 => format!("for {name} = {low}..2..{}", low + count),
            _ => format!("for {name} = {}..-1..{low}", low + count - 1),
        };
        self.open(header);
        self.counters.push(Counter { name: name.clone(), low, high: low + count });
        self.statements(depth + 1);
        if self.random.chance(30) {
            let word = *self.random.pick(&["break", "continue"]);
            self.note(word);
            self.open(format!("if {name} == {}", low + 1));
            self.line(word);
            self.close("endif");
        }
        self.compound_scalar();
        self.counters.pop();
        self.close("endfor");
    }

    fn conditional_loop(&mut self, depth: usize) {
        let name = self.name("w");
        self.line(format!("{name} = {}", self.names % 4));
        if self.random.chance(50) {
            self.note("while");
            self.open(format!("while {name} > 0"));
            self.line(format!("{name} -= 1"));
            self.statements(depth + 1);
            self.close("endwhile");
        } else {
            self.note("repeat");
            self.open("repeat");
            self.line(format!("{name} -= 1"));
            self.statements(depth + 1);
            self.close(&format!("until {name} <= 0"));
        }
    }

    fn choose(&mut self) {
        self.note("match");
        let (Some(subject), Some(target)) = (self.scalar(Kind::Int), self.scalar(Kind::Int)) else { return };
        self.open(format!("match mod({subject}, 4) with"));
        self.line(format!("| 0 -> {target} = {}", self.names));
        let value = self.expr(Kind::Int, 1);
        self.line(format!("| (1, 2) -> {target} = {value}"));
        if self.random.chance(60) {
            let value = self.expr(Kind::Int, 1);
            self.line(format!("| _ -> {target} = {value}"));
        }
        self.close("endmatch");
    }

    fn swap(&mut self) {
        self.note("exchange");
        let kind = self.kind();
        if let (Some(a), Some(b)) = (self.scalar(kind), self.scalar(kind))
            && a != b
        {
            self.line(format!("[{a}, {b}] = [{b}, {a}]"));
        }
    }

    fn some_array(&mut self, kind: Option<Kind>) -> Option<Array> {
        let fitting: Vec<Array> =
            self.arrays.iter().filter(|a| kind.is_none_or(|kind| a.kind == kind)).cloned().collect();
        (!fitting.is_empty()).then(|| self.random.pick(&fitting).clone())
    }

    /// Prints everything that was computed, several values a line.
    fn report(&mut self) {
        let scalars = self.scalars.iter().map(|(name, _)| name);
        let names: Vec<String> =
            scalars.chain(self.arrays.iter().map(|array| &array.name)).cloned().collect();
        for some in names.chunks(5) {
            let values: Vec<String> = some.iter().map(|name| format!("\" {name} = \", {name}")).collect();
            self.line(format!("print {}", values.join(", ")));
        }
        self.line("print \"done\"");
    }
}

fn type_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Int => "int",
        Kind::Float => "scalar",
    }
}
