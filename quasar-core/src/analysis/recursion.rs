//! Finds the functions that may be recursive: only their calls count the depth and check the remaining stack.
//!
//! A call of a function value may reach any function that is used as a value. Library functions do not call back.

use crate::ids::IdSet;
use crate::ir::rewrite::{visit_block, visit_stmts};
use crate::ir::texts::EVAL;
use crate::ir::{ExprKind, Function, FunctionId, Program, StmtKind};

/// The functions in cycles of the call graph.
pub fn recursive(program: &Program) -> IdSet<Function> {
    let graph = Graph::of(program);
    let mut search = Search::new(graph.callees.len());
    for node in 0..graph.callees.len() {
        search.visit(&graph, node);
    }
    program.functions.ids().filter(|id| search.recursive[id.index()]).collect()
}

/// The call graph. One extra node stands for function values: indirect calls have an edge to it, and it has edges to
/// all functions used as values.
struct Graph {
    callees: Vec<Vec<usize>>,
}

impl Graph {
    fn of(program: &Program) -> Graph {
        let count = program.functions.ids().count();
        let values = count;
        let mut callees: Vec<Vec<usize>> = vec![Vec::new(); count + 1];
        let mut bodies: Vec<(Option<FunctionId>, &_)> =
            program.functions.iter().map(|(id, function)| (Some(id), &function.body.block)).collect();
        bodies.extend(program.kernels.iter().map(|(_, kernel)| (None, &kernel.body.block)));
        for (id, block) in bodies {
            visit_stmts(block, &mut |stmt| {
                let Some(id) = id else { return };
                match &stmt.kind {
                    StmtKind::Call { function, .. } => callees[id.index()].push(function.index()),
                    // The effects of evaluated source are unknown here.
                    StmtKind::CallValue { .. } | StmtKind::Library { name: EVAL, .. } => {
                        callees[id.index()].push(values)
                    }
                    _ => {}
                }
            });
            visit_block(block, &mut |e| {
                if let ExprKind::Function { function, .. } = e.kind {
                    callees[values].push(function.index());
                }
            });
        }
        for list in &mut callees {
            list.sort_unstable();
            list.dedup();
        }
        Graph { callees }
    }
}

/// Tarjan's algorithm for strongly connected components, iterative because programs may have long call chains.
struct Search {
    /// Discovery order of nodes, from 1; 0 if undiscovered.
    number: Vec<usize>,
    low: Vec<usize>,
    on_stack: Vec<bool>,
    stack: Vec<usize>,
    found: usize,
    recursive: Vec<bool>,
}

impl Search {
    fn new(count: usize) -> Search {
        Search {
            number: vec![0; count],
            low: vec![0; count],
            on_stack: vec![false; count],
            stack: Vec::new(),
            found: 0,
            recursive: vec![false; count],
        }
    }

    fn visit(&mut self, graph: &Graph, start: usize) {
        if self.number[start] != 0 {
            return;
        }
        // Nodes in progress, with the index of the next callee.
        let mut open = vec![(start, 0)];
        self.begin(start);
        while let Some((node, next)) = open.pop() {
            let Some(&callee) = graph.callees[node].get(next) else {
                self.end(graph, node);
                if let Some((caller, _)) = open.last() {
                    self.low[*caller] = self.low[*caller].min(self.low[node]);
                }
                continue;
            };
            open.push((node, next + 1));
            if self.number[callee] == 0 {
                self.begin(callee);
                open.push((callee, 0));
            } else if self.on_stack[callee] {
                self.low[node] = self.low[node].min(self.number[callee]);
            }
        }
    }

    fn begin(&mut self, node: usize) {
        self.found += 1;
        (self.number[node], self.low[node]) = (self.found, self.found);
        self.stack.push(node);
        self.on_stack[node] = true;
    }

    fn end(&mut self, graph: &Graph, node: usize) {
        if self.low[node] != self.number[node] {
            return;
        }
        let Some(first) = self.stack.iter().rposition(|other| *other == node) else { return };
        let component = self.stack.split_off(first);
        let circle = component.len() > 1 || graph.callees[node].contains(&node);
        for member in component {
            self.on_stack[member] = false;
            self.recursive[member] = circle;
        }
    }
}
