//! Graphs of objects in kernels of random programs: lists and trees that threads follow, change, link anew and make.
//!
//! Lists that threads change otherwise than by sums are their own. What several threads make is only counted.

use super::{Counter, Generator, Kind};

/// Lists of one class, in an array of pointers.
struct Lists {
    class: String,
    heads: String,
    count: i64,
    /// Whether two of them may be one list, in part or in whole.
    shared: bool,
}

impl Generator {
    /// A class of nodes, functions for them, and an array of lists of 0 to 4 nodes.
    fn lists(&mut self, may_share: bool) -> Lists {
        let (class, heads, k, j) = (self.name("Link"), self.name("heads"), self.name("k"), self.name("j"));
        let count = self.random.between(1, 5);
        self.define(&format!(
            "type {class} : mutable class\n    value : int\n    weight : vec2\n    next : ^{class}\nendtype\n\
             function r : int = folded_{class}(l : ^{class})\n    r = 0\n    steps = 0\n    \
             while l != nullptr && steps < 12\n        r = mod(31*r + l.value + int(l.weight[1]), 100003)\n        \
             l = l.next\n        steps += 1\n    endwhile\n    r += 1000*steps\nendfunction"
        ));
        self.line(format!("{heads} = vec[^{class}]({count})"));
        let lengths = self.leaf(Kind::Int);
        self.open(format!("for {k} = 0..{}", count - 1));
        self.open(format!("for {j} = 1..mod({k} + {lengths}, 5)"));
        let depth = self.counters.len();
        self.counters.push(Counter { name: k.clone(), low: 0, high: count - 1 });
        self.counters.push(Counter { name: j.clone(), low: 1, high: 4 });
        let value = self.element_value(Kind::Int, 2);
        self.counters.truncate(depth);
        self.line(format!("{heads}[{k}] = {class}({value}, [{k}, {j}], {heads}[{k}])"));
        self.close("endfor");
        self.close("endfor");
        let shared = may_share && self.random.chance(50);
        if shared {
            self.note("lists that share nodes");
            let (from, to) = (self.random.between(0, count - 1), self.random.between(0, count - 1));
            match self.random.below(3) {
                0 => self.line(format!("{heads}[{from}] = {heads}[{to}]")),
                1 => self.line(format!("{heads}[{from}] = {class}({from}, [0, 1], {heads}[{to}])")),
                _ => {
                    // A circle.
                    self.open(format!("if {heads}[{from}] != nullptr"));
                    self.line(format!("{heads}[{from}].next = {heads}[{from}]"));
                    self.close("endif");
                }
            }
        }
        Lists { class, heads, count, shared }
    }

    /// What the lists hold, as a number each.
    fn fold_lists(&mut self, lists: &Lists) {
        let (total, k) = (self.name("t"), self.name("k"));
        self.line(format!("{total} = 0"));
        self.open(format!("for {k} = 0..{}", lists.count - 1));
        self.line(format!("{total} = 7*{total} + folded_{}({}[{k}])", lists.class, lists.heads));
        self.close("endfor");
        self.scalars.push((total, Kind::Int));
    }

    /// An element of a new array of pointers, as a launch left it.
    fn print_ends(&mut self, ends: &str, lists: &Lists) {
        let at = self.random.between(0, lists.count - 1);
        self.open(format!("if {ends}[{at}] != nullptr"));
        self.line(format!("print {ends}[{at}].value, \" \", {ends}[{at}] == {}[{at}]", lists.heads));
        self.close("endif");
    }

    /// Each thread follows a list.
    pub(super) fn lists_in_kernels(&mut self) {
        self.note("list followed in a kernel");
        let lists = self.lists(true);
        let Lists { class, heads, count, shared } = &lists;
        let (kernel, ends) = (self.name("follow"), self.name("ends"));
        let known =
            [("s", Kind::Int), ("p.value", Kind::Int), ("p.weight[0]", Kind::Float), ("pos", Kind::Int)];
        let (step, stop) = (self.closed_expr(&known, Kind::Int, 2), self.random.between(30, 90));
        let adds = self.random.chance(50);
        let change = match (adds, self.random.below(3)) {
            (false, _) => "",
            (_, 0) => "        p.value += 1\n",
            (_, 1) => "        p.weight[1] += pos\n",
            _ => "        p.weight += [0.5, 1]\n",
        };
        // Threads that come to one node see what others added.
        let step = if adds && *shared { "s + pos".to_string() } else { step };
        self.define(&format!(
            "function [] = __kernel__ {kernel}(l : vec[^{class}], dst : ivec, ends : vec[^{class}], c : int, pos : int)\n    \
             p = l[pos]\n    last = p\n    s = c\n    n = 0\n    while p != nullptr && n < 9\n        s = {step}\n{change}        \
             if s > {stop}\n            break\n        endif\n        last = p\n        p = p.next\n        n += 1\n    \
             endwhile\n    dst[pos] = s + 100*n\n    ends[pos] = last\nendfunction"
        ));
        let dst = self.output(Kind::Int, &[*count]);
        let c = self.leaf(Kind::Int);
        self.line(format!("{ends} = vec[^{class}]({count})"));
        self.line(format!("parallel_do({count}, {heads}, {}, {ends}, mod({c}, 9), {kernel})", dst.name));
        self.print_ends(&ends, &lists);
        self.arrays.push(dst);
        self.fold_lists(&lists);
    }

    /// Each thread turns, cuts or extends a list of its own.
    pub(super) fn lists_changed_in_kernels(&mut self) {
        self.note("list changed in a kernel");
        let lists = self.lists(false);
        let Lists { class, heads, count, .. } = &lists;
        let kernel = self.name("relink");
        let known = [("pos", Kind::Int), ("c", Kind::Int), ("k", Kind::Int)];
        let value = self.closed_expr(&known, Kind::Int, 2);
        let limit = self.random.between(0, 60);
        let body = match self.random.below(4) {
            0 => "    r : ^CLASS = nullptr\n    while p != nullptr\n        after = p.next\n        p.next = r\n        \
                 r = p\n        p = after\n    endwhile\n    l[pos] = r\n"
                .to_string(),
            1 => format!(
                "    while p != nullptr\n        if p.next != nullptr && p.next.value > {limit}\n            \
                 p.next = p.next.next\n        else\n            p = p.next\n        endif\n    endwhile\n"
            ),
            2 => {
                self.note("list made in a kernel");
                format!(
                    "    for k = 0..mod(c + pos, 4)\n        l[pos] = CLASS({value}, [k, 0.5], l[pos])\n    endfor\n    \
                     if p != nullptr\n        p.weight[0] += 1\n    endif\n"
                )
            }
            _ => {
                self.note("list made in a kernel");
                format!(
                    "    k = 0\n    if p == nullptr\n        p = CLASS({value}, [1, 2], nullptr)\n        l[pos] = p\n    \
                     endif\n    while p.next != nullptr\n        p = p.next\n        k += 1\n    endwhile\n    \
                     q = CLASS(k, p.weight + 1, nullptr)\n    if q.value > c\n        p.next = CLASS({value}, [0, 0], q)\n    \
                     else\n        p.next = q\n    endif\n"
                )
            }
        };
        self.define(&format!(
            "function [] = __kernel__ {kernel}(l : vec[^{class}], c : int, pos : int)\n    p = l[pos]\n{}endfunction",
            body.replace("CLASS", class)
        ));
        let c = self.leaf(Kind::Int);
        for _ in 0..1 + self.random.below(2) {
            self.line(format!("parallel_do({count}, {heads}, mod({c}, 9), {kernel})"));
        }
        self.fold_lists(&lists);
    }

    /// All threads look up keys in one tree and count how often each was found.
    pub(super) fn tree_in_kernel(&mut self) {
        self.note("tree in a kernel");
        let (class, root, kernel, k) =
            (self.name("Tree"), self.name("root"), self.name("look"), self.name("k"));
        let count = 1 + self.random.below(6);
        let keys = self.list_of(Kind::Int, count);
        self.define(&format!(
            "type {class} : mutable class\n    key : int\n    hits : int\n    left : ^{class}\n    right : ^{class}\nendtype\n\
             function r : ^{class} = put_{class}(t : ^{class}, key : int)\n    r = t\n    if t == nullptr\n        \
             r = {class}(key, 0, nullptr, nullptr)\n    elseif key < t.key\n        t.left = put_{class}(t.left, key)\n    \
             elseif key > t.key\n        t.right = put_{class}(t.right, key)\n    endif\nendfunction\n\
             function r : int = weighed_{class}(t : ^{class})\n    r = 0\n    if t != nullptr\n        \
             r = mod(5*weighed_{class}(t.left) + 3*weighed_{class}(t.right) + t.key + 7*t.hits, 10007)\n    endif\nendfunction\n\
             function t : ^{class} = __device__ find_{class}(t : ^{class}, key : int)\n    \
             while t != nullptr && t.key != key\n        t = key < t.key ? t.left : t.right\n    endwhile\nendfunction"
        ));
        self.line(format!("{root} : ^{class} = nullptr"));
        self.open(format!("for {k} = [{keys}]"));
        self.line(format!("{root} = put_{class}({root}, mod({k}, 23))"));
        self.close("endfor");
        let known = [("pos", Kind::Int), ("c", Kind::Int)];
        let key = self.closed_expr(&known, Kind::Int, 2);
        self.define(&format!(
            "function [] = __kernel__ {kernel}(t : ^{class}, dst : ivec, c : int, pos : int)\n    \
             p = find_{class}(t, mod({key}, 23))\n    if p == nullptr\n        dst[pos] = -1\n    else\n        \
             dst[pos] = p.key\n        p.hits += 1 + mod(pos, 2)\n        if p.left != nullptr\n            \
             p.left.hits += c\n        endif\n    endif\nendfunction"
        ));
        let n = self.random.between(1, 12);
        let dst = self.output(Kind::Int, &[n]);
        let c = self.leaf(Kind::Int);
        self.line(format!("parallel_do({n}, {root}, {}, mod({c}, 9), {kernel})", dst.name));
        let total = self.name("t");
        self.line(format!("{total} = weighed_{class}({root})"));
        self.arrays.push(dst);
        self.scalars.push((total, Kind::Int));
    }

    /// Threads push what they make to one list; its order is open, so that it is only added up.
    pub(super) fn pushes_in_kernel(&mut self) {
        self.note("exchange of pointers in a kernel");
        let (class, top, kernel, p) =
            (self.name("Cell"), self.name("top"), self.name("push"), self.name("p"));
        let known = [("pos", Kind::Int), ("c", Kind::Int)];
        let (value, condition) = (self.closed_expr(&known, Kind::Int, 2), self.random.between(-3, 6));
        self.define(&format!(
            "type {class} : mutable class\n    value : int\n    next : ^{class}\nendtype\n\
             type {class}_top : mutable class\n    first : ^{class}\n    count : int\nendtype\n\
             function [] = __kernel__ {kernel}(s : {class}_top, c : int, pos : int)\n    if pos + c > {condition}\n        \
             new = {class}({value}, nullptr)\n        head = s.first\n        done = false\n        while !done\n            \
             new.next = head\n            found = (s.first <- (new, head))\n            done = found == head\n            \
             head = found\n        endwhile\n        s.count += 1\n    endif\nendfunction"
        ));
        self.line(format!("{top} = {class}_top(nullptr, 0)"));
        let (n, c) = (self.random.between(1, 9), self.leaf(Kind::Int));
        for _ in 0..1 + self.random.below(2) {
            self.line(format!("parallel_do({n}, {top}, mod({c}, 5), {kernel})"));
        }
        let total = self.name("t");
        self.line(format!("{total} = 0"));
        self.line(format!("{p} = {top}.first"));
        self.open(format!("while {p} != nullptr"));
        self.line(format!("{total} += {p}.value + 1000"));
        self.line(format!("{p} = {p}.next"));
        self.close("endwhile");
        self.scalars.extend([(total, Kind::Int), (format!("{top}.count"), Kind::Int)]);
    }

    /// A kernel that follows `nullptr` at one position, or at none.
    pub(super) fn null_in_kernel(&mut self) {
        self.note("nullptr in a kernel");
        let lists = self.lists(false);
        let kernel = self.name("blind");
        self.define(&format!(
            "function [] = __kernel__ {kernel}(l : vec[^{}], dst : ivec, pos : int)\n    dst[pos] = l[pos].value\nendfunction",
            lists.class
        ));
        let dst = self.output(Kind::Int, &[lists.count]);
        let at = self.random.between(0, lists.count - 1);
        self.line(format!("{}[{at}] = nullptr", lists.heads));
        let first = self.random.between(0, lists.count - 1);
        let (launch, heads) = (format!("parallel_do({first}"), &lists.heads);
        self.caught(
            |this| this.line(format!("{launch}, {heads}, {}, {kernel})", dst.name)),
            |this| this.line(format!("{0} = 0*{0} - 1", dst.name)),
        );
        self.arrays.push(dst);
        self.fold_lists(&lists);
    }
}
