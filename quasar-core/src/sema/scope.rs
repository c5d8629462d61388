//! Module scopes: functions, types, enums and module-level variables, and which of them importers see. Also the
//! visitors that collect assigned and mentioned names. Nothing is typed here.

use super::model::Constant;
use super::unit::Unit;
use super::walk;
use crate::source::Span;
use crate::syntax::ast::*;
use crate::types::resolve::{Access, Bound};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What a type name resolves to.
#[derive(Clone, Copy, Debug)]
pub(super) enum TypeName<'a> {
    /// `type x : other`.
    Alias(&'a [TypeParam], &'a TypeExpr),
    /// An enum, by id.
    Enum(u32),
    /// A class.
    Class(&'a TypeDef),
}

/// A module-level variable as functions see it.
#[derive(Clone, Debug)]
pub(super) struct Global {
    /// Its name, unique in the unit.
    pub(super) unique: String,
    /// Whether exactly one statement outside of loops assigns it.
    pub(super) once: bool,
    /// Whether a function of its module or an importing module mentions it.
    pub(super) shared: bool,
    /// The value, if it is a constant.
    pub(super) value: Option<Constant>,
    /// Access modifiers.
    pub(super) access: Access,
}

/// The names of one module.
#[derive(Clone, Debug, Default)]
pub(super) struct ModuleScope<'a> {
    /// Functions by name, in source order.
    pub(super) functions: BTreeMap<&'a str, Vec<NodeId>>,
    /// The ids of all of them.
    pub(super) own_functions: BTreeSet<NodeId>,
    /// Types by name, including those defined inside functions and blocks.
    pub(super) types: BTreeMap<&'a str, TypeName<'a>>,
    /// Where each type is defined, and whether importers see it.
    pub(super) type_places: BTreeMap<&'a str, (Span, bool)>,
    /// Module-level variables by name.
    pub(super) globals: BTreeMap<&'a str, Global>,
    /// Imported modules, by index.
    pub(super) imports: Vec<usize>,
}

/// An enum.
#[derive(Clone, Debug)]
pub(super) struct EnumInfo<'a> {
    /// Its name.
    pub(super) name: &'a str,
    /// Names and values, in declaration order.
    pub(super) members: Vec<(String, i32)>,
    /// The value of each name.
    values: HashMap<&'a str, i32>,
}

impl EnumInfo<'_> {
    pub(super) fn value(&self, member: &str) -> Option<i32> {
        self.values.get(member).copied()
    }
}

/// The lexical environment of a function's definition.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Lexical {
    /// The module.
    pub(super) module: usize,
    /// Functions defined in enclosing functions before this point.
    pub(super) functions: Vec<(String, NodeId)>,
    /// Type and size parameters of this and enclosing functions; `None` while they are unbound.
    pub(super) bindings: Vec<(String, Option<Bound>)>,
    /// The statements of local rewrite rules in scope, innermost first.
    pub(super) rules: Vec<NodeId>,
}

/// Collects the scopes and enums of all modules.
pub(super) fn collect<'a>(unit: &'a Unit) -> (Vec<ModuleScope<'a>>, Vec<EnumInfo<'a>>) {
    let mut enums = Vec::new();
    let mut scopes = Vec::new();
    let mut taken = BTreeSet::new();
    for (position, module) in unit.modules.iter().enumerate() {
        let mut scope = ModuleScope { imports: module.imports.clone(), ..ModuleScope::default() };
        scope.imports.retain(|import| *import < position);
        let mut assigned = Assigned::default();
        for item in &module.module.items {
            match &item.kind {
                StmtKind::Function(function) => {
                    scope.functions.entry(function.name.text.as_str()).or_default().push(item.id);
                    scope.own_functions.insert(item.id);
                }
                StmtKind::TypeDef(definition) => scope.define(definition, true, &mut enums),
                _ => walk::stmt(item, &mut assigned),
            }
        }
        let mut inner = TypesInside::default();
        walk::block(&module.module.items, &mut inner);
        for definition in inner.definitions {
            scope.define(definition, false, &mut enums);
        }
        for (name, (count, _)) in assigned.names {
            let mut unique = name.to_owned();
            while !taken.insert(unique.clone()) {
                unique = format!("{}_{unique}", stem(&module.name));
            }
            let once = count == 1 && !assigned.in_loops.contains(name);
            let global = Global { unique, once, shared: false, value: None, access: Access::default() };
            scope.globals.insert(name, global);
        }
        scopes.push(scope);
    }
    mark_shared(unit, &mut scopes);
    (scopes, enums)
}

impl<'a> ModuleScope<'a> {
    /// Adds a type unless the name is taken; that error is reported where the definition is visited.
    fn define(&mut self, definition: &'a TypeDef, visible: bool, enums: &mut Vec<EnumInfo<'a>>) {
        let name = definition.name.text.as_str();
        if let Entry::Vacant(place) = self.type_places.entry(name) {
            place.insert((definition.name.span, visible));
            self.types.insert(name, type_name(definition, enums));
        }
    }

    /// A type as importers see it.
    pub(super) fn visible_type(&self, name: &str) -> Option<TypeName<'a>> {
        let visible = self.type_places.get(name).is_some_and(|(_, visible)| *visible);
        self.types.get(name).copied().filter(|_| visible)
    }
}

/// Collects type definitions inside functions and blocks; those of the top level are already defined.
#[derive(Debug, Default)]
struct TypesInside<'a> {
    definitions: Vec<&'a TypeDef>,
}

impl<'a> walk::Visitor<'a> for TypesInside<'a> {
    fn stmt(&mut self, stmt: &'a Stmt) -> bool {
        if let StmtKind::TypeDef(definition) = &stmt.kind {
            self.definitions.push(definition);
        }
        !matches!(stmt.kind, StmtKind::Macro(_))
    }

    fn expr(&mut self, _: &'a Expr) -> bool {
        false
    }
}

/// The file stem of a module, as an identifier prefix.
fn stem(name: &str) -> String {
    let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let stem = file.split('.').next().unwrap_or(file);
    stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

fn type_name<'a>(definition: &'a TypeDef, enums: &mut Vec<EnumInfo<'a>>) -> TypeName<'a> {
    match &definition.body {
        TypeBody::Alias(body) => TypeName::Alias(&definition.params, body),
        TypeBody::Class { .. } | TypeBody::Derived { .. } => TypeName::Class(definition),
        TypeBody::Enum(members) => {
            let mut next = 0i32;
            let mut list = Vec::new();
            let mut values = HashMap::new();
            for (name, value) in members {
                if let Some(value) = value.as_ref().and_then(literal_integer) {
                    next = value;
                }
                list.push((name.text.clone(), next));
                values.entry(name.text.as_str()).or_insert(next);
                next = next.wrapping_add(1);
            }
            enums.push(EnumInfo { name: &definition.name.text, members: list, values });
            TypeName::Enum(enums.len() as u32 - 1)
        }
    }
}

fn literal_integer(expr: &Expr) -> Option<i32> {
    match &expr.kind {
        ExprKind::Number(Number::Int(n)) => i32::try_from(*n).ok(),
        ExprKind::Paren(inner) => literal_integer(inner),
        ExprKind::Prefix { op: PrefixOp::Negate, operand } => literal_integer(operand)?.checked_neg(),
        _ => None,
    }
}

/// Counts the assignments of variables; does not descend into inner functions and lambdas.
#[derive(Debug, Default)]
pub(crate) struct Assigned<'a> {
    /// The number of assignments of each name, and the span of the first.
    pub(crate) names: BTreeMap<&'a str, (usize, crate::source::Span)>,
    /// Names assigned inside loops.
    pub(super) in_loops: BTreeSet<&'a str>,
    /// Names whose elements are written.
    pub(super) elements: BTreeSet<&'a str>,
    /// The number of loops around the current node.
    loops: usize,
}

/// Collects variables whose elements are assigned, also inside inner functions and lambdas.
#[derive(Debug, Default)]
pub(super) struct AssignedElements<'a> {
    /// Names with an assigned element.
    pub(super) elements: BTreeSet<&'a str>,
    /// Names with an assigned element of an element.
    pub(super) inner: BTreeSet<&'a str>,
}

impl<'a> walk::Visitor<'a> for AssignedElements<'a> {
    fn expr(&mut self, expr: &'a Expr) -> bool {
        if let ExprKind::Assign { target, .. } = &expr.kind {
            let mut places = Vec::new();
            match &**target {
                Target::Place { place, .. } => places.push(place),
                Target::Multiple { places: several, .. } => {
                    places.extend(several.iter().flatten().map(|(place, _)| place));
                }
            }
            for place in places {
                let mut depth = 0;
                let mut base = place;
                while let ExprKind::Index { base: next, .. } = &base.kind {
                    (base, depth) = (next, depth + 1);
                }
                if let (ExprKind::Name(name), 1..) = (&base.kind, depth) {
                    if depth == 1 {
                        self.elements.insert(name)
                    } else {
                        self.inner.insert(name)
                    };
                }
            }
        }
        true
    }
}

impl<'a> Assigned<'a> {
    fn add(&mut self, name: &'a str, span: crate::source::Span) {
        self.names.entry(name).or_insert((0, span)).0 += 1;
        if self.loops > 0 {
            self.in_loops.insert(name);
        }
    }

    /// Walks the part of a loop that is repeated.
    fn in_loop(&mut self, walk: impl FnOnce(&mut Self)) {
        self.loops += 1;
        walk(self);
        self.loops -= 1;
    }

    fn place(&mut self, place: &'a Expr) {
        match &place.kind {
            ExprKind::Name(name) => self.add(name, place.span),
            ExprKind::Index { base, .. } => {
                if let ExprKind::Name(name) = &base.kind {
                    self.elements.insert(name);
                }
            }
            _ => {}
        }
    }
}

impl<'a> walk::Visitor<'a> for Assigned<'a> {
    fn stmt(&mut self, stmt: &'a Stmt) -> bool {
        match &stmt.kind {
            StmtKind::Function(_) | StmtKind::Macro(_) => return false,
            StmtKind::For { variable, sequence, body } => {
                self.in_loops.insert(&variable.text);
                self.add(&variable.text, variable.span);
                walk::expr(sequence, self);
                self.in_loop(|this| walk::block(body, this));
                return false;
            }
            StmtKind::While { condition, body } => {
                self.in_loop(|this| {
                    walk::expr(condition, this);
                    walk::block(body, this);
                });
                return false;
            }
            StmtKind::Repeat { body, until } => {
                self.in_loop(|this| walk::block(body, this));
                walk::expr(until, self);
                return false;
            }
            StmtKind::Try { catches, .. } => {
                for variable in catches.iter().filter_map(|catch| catch.variable.as_ref()) {
                    self.add(&variable.text, variable.span);
                }
            }
            _ => {}
        }
        true
    }

    fn expr(&mut self, expr: &'a Expr) -> bool {
        match &expr.kind {
            ExprKind::Lambda(_) => return false,
            ExprKind::Declare { name, .. } => self.add(&name.text, name.span),
            ExprKind::Assign { target, .. } => match &**target {
                Target::Place { place, .. } => self.place(place),
                Target::Multiple { places, .. } => {
                    for (place, _) in places.iter().flatten() {
                        self.place(place);
                    }
                }
            },
            ExprKind::Exchange { place, .. } => self.place(place),
            _ => {}
        }
        true
    }
}

/// Collects all names that occur; of inner functions and lambdas, only their free names.
#[derive(Debug, Default)]
struct Mentioned<'a> {
    names: BTreeSet<&'a str>,
}

impl<'a> Mentioned<'a> {
    /// Adds the free names of a function or lambda.
    fn inner(&mut self, params: &'a [Param], own: Assigned<'a>, inner: Mentioned<'a>) {
        for default in params.iter().filter_map(|param| param.default.as_ref()) {
            walk::expr(default, self);
        }
        let is_own = |name: &&str| {
            own.names.contains_key(name) || params.iter().any(|param| param.name.text == **name)
        };
        self.names.extend(inner.names.into_iter().filter(|name| !is_own(name)));
    }
}

impl<'a> walk::Visitor<'a> for Mentioned<'a> {
    fn stmt(&mut self, stmt: &'a Stmt) -> bool {
        let StmtKind::Function(function) = &stmt.kind else { return true };
        let (mut own, mut inner) = (Assigned::default(), Mentioned::default());
        walk::block(&function.body, &mut own);
        walk::block(&function.body, &mut inner);
        self.inner(&function.params, own, inner);
        false
    }

    fn expr(&mut self, expr: &'a Expr) -> bool {
        match &expr.kind {
            ExprKind::Name(name) => {
                self.names.insert(name);
            }
            ExprKind::Lambda(lambda) => {
                let (mut own, mut inner) = (Assigned::default(), Mentioned::default());
                walk::expr(&lambda.body, &mut own);
                walk::expr(&lambda.body, &mut inner);
                self.inner(&lambda.params, own, inner);
                return false;
            }
            _ => {}
        }
        true
    }
}

/// Marks module-level variables as shared if a function of the module, or any code of an importing module, mentions
/// them.
fn mark_shared(unit: &Unit, scopes: &mut [ModuleScope<'_>]) {
    if scopes.iter().all(|scope| scope.globals.is_empty()) {
        return;
    }
    let mut by_functions: Vec<BTreeSet<&str>> = Vec::new();
    let mut everywhere: Vec<BTreeSet<&str>> = Vec::new();
    for module in &unit.modules {
        let mut functions = Mentioned::default();
        let mut all = Mentioned::default();
        for item in &module.module.items {
            let function = matches!(item.kind, StmtKind::Function(_));
            walk::stmt(item, if function { &mut functions } else { &mut all });
        }
        all.names.extend(&functions.names);
        by_functions.push(functions.names);
        everywhere.push(all.names);
    }
    for position in 0..scopes.len() {
        let importers: Vec<usize> =
            (0..scopes.len()).filter(|other| scopes[*other].imports.contains(&position)).collect();
        for (name, global) in &mut scopes[position].globals {
            global.shared = by_functions[position].contains(name)
                || importers.iter().any(|importer| everywhere[*importer].contains(name));
        }
    }
}
