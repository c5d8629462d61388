//! The syntax tree, without any semantics.
//!
//! Every expression, statement and type has a [`NodeId`] that is unique in its unit, and a [`Span`]. Later phases store
//! their results in tables keyed by node ids and never modify a tree.

use crate::source::{FileId, Span};

/// Identifies a node of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

impl NodeId {
    /// Ids from here on belong to synthesised nodes.
    const MADE: u32 = 1 << 31;

    /// The id of a synthesised node.
    pub(super) fn made(number: u32) -> NodeId {
        NodeId(number | NodeId::MADE)
    }

    /// Whether the compiler synthesised the node; otherwise it was parsed.
    pub fn is_synthetic(self) -> bool {
        self.0 >= NodeId::MADE
    }
}

/// Allocates [`NodeId`]s; one counter serves all files of a unit.
#[derive(Clone, Debug, Default)]
pub struct NodeIds {
    next: u32,
}

impl NodeIds {
    /// A new id.
    pub fn fresh(&mut self) -> NodeId {
        let id = NodeId(self.next);
        self.next += 1;
        id
    }

    /// The number of allocated ids; all are smaller than it.
    pub fn len(&self) -> usize {
        self.next as usize
    }

    /// Whether no id has been allocated.
    pub fn is_empty(&self) -> bool {
        self.next == 0
    }
}

/// A name with its location.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Name {
    /// The name, such as `img` or `$target`.
    pub text: String,
    /// Source location.
    pub span: Span,
}

/// One file.
#[derive(Clone, Debug, PartialEq)]
pub struct Module {
    /// The file.
    pub file: FileId,
    /// The `import` lines.
    pub imports: Vec<Import>,
    /// Everything else, in order.
    pub items: Vec<Stmt>,
    /// The style of block endings in the file.
    pub endings: Endings,
}

/// How blocks are closed in a file (`if` always by `endif`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endings {
    /// `endfor`, `endfunction`, ..; also the default for a file without such a block.
    Long,
    /// Plain `end`.
    Short,
}

/// `import "path" as alias`.
#[derive(Clone, Debug, PartialEq)]
pub struct Import {
    /// The whole line.
    pub span: Span,
    /// The name in quotes.
    pub path: String,
    /// The name after `as`.
    pub alias: Option<Name>,
}

/// A sequence of statements.
pub type Block = Vec<Stmt>;

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Stmt {
    /// Identity.
    pub id: NodeId,
    /// Location of the whole statement, blocks included.
    pub span: Span,
    /// The statement itself.
    pub kind: StmtKind,
}

/// The kinds of statements.
#[derive(Clone, Debug, PartialEq)]
pub enum StmtKind {
    /// `function .. endfunction`, also inside other functions.
    Function(Box<Function>),
    /// `type name : ..`.
    TypeDef(Box<TypeDef>),
    /// `reduction (x, y) -> pattern = replacement where condition`.
    Reduction(Box<Reduction>),
    /// `macro [] = name(..) .. endmacro`.
    Macro(Box<Function>),
    /// `{!name words arguments}` or `!name arguments`.
    Attribute(Attribute),
    /// `#pragma name(arguments)`; the text between the parentheses is kept as written.
    Pragma { name: Name, arguments: Option<String> },
    /// `if`, any number of `elseif`, optional `else`.
    If { branches: Vec<(Expr, Block)>, otherwise: Option<Block> },
    /// `label:` on its own line before a loop; `attributes` written between label and loop stay statements.
    Labelled { label: Name, body: Box<Stmt> },
    /// `for variable = sequence`.
    For { variable: Name, sequence: Expr, body: Block },
    /// `while condition`.
    While { condition: Expr, body: Block },
    /// `repeat .. until condition`.
    Repeat { body: Block, until: Expr },
    /// `match subject with | patterns -> body`.
    Match { subject: Expr, arms: Vec<MatchArm> },
    /// `try .. catch e : T ..`; several clauses in order.
    Try { body: Block, catches: Vec<Catch> },
    /// `break label`.
    Break(Option<Name>),
    /// `continue label`.
    Continue(Option<Name>),
    /// `syncthreads granularity`.
    SyncThreads(Option<Name>),
    /// `print a, b`.
    Print(Vec<Expr>),
    /// `error a, b` without parentheses.
    Error(Vec<Expr>),
    /// `symbolic a, b`.
    Symbolic(Vec<Name>),
    /// An expression, most often an assignment or a call; `x : T` is [`ExprKind::Declare`].
    Expr(Expr),
    /// A statement that could not be parsed; an error was reported.
    Invalid,
}

/// One `| patterns -> body`.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchArm {
    /// The alternatives; empty for `_`.
    pub patterns: Vec<Expr>,
    /// The code of the arm.
    pub body: Block,
    /// Location of the patterns.
    pub span: Span,
}

/// One `catch` clause.
#[derive(Clone, Debug, PartialEq)]
pub struct Catch {
    /// The variable that receives the exception.
    pub variable: Option<Name>,
    /// The exception class.
    pub ty: Option<TypeExpr>,
    /// The handler.
    pub body: Block,
}

/// `__kernel__`, `__device__`, `__host__`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FunctionKind {
    /// No modifier, or `__host__`.
    Host,
    /// `__device__`.
    Device,
    /// `__kernel__`.
    Kernel,
}

/// A function or macro definition.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// The name.
    pub name: Name,
    /// Host, device or kernel.
    pub kind: FunctionKind,
    /// Whether `__host__` was explicit, for the printer.
    pub explicit_host: bool,
    /// Whether outputs were in brackets (`[y]`), for the printer.
    pub bracketed: bool,
    /// Outputs in order.
    pub outputs: Vec<Output>,
    /// `[T, N : int]`.
    pub type_params: Vec<TypeParam>,
    /// Parameters in order.
    pub params: Vec<Param>,
    /// Private to its module.
    pub concealed: bool,
    /// The body.
    pub body: Block,
    /// Location of the line `function .. )`.
    pub header: Span,
}

/// A type, size or dimension parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeParam {
    /// The name.
    pub name: Name,
    /// Its constraint.
    pub constraint: Option<TypeExpr>,
}

/// `name : type` or `name : 'modifier ..`.
#[derive(Clone, Debug, PartialEq)]
pub struct Output {
    /// The name.
    pub name: Name,
    /// The annotation.
    pub annotation: Option<Annotation>,
}

/// `...name : type = default`.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// Node id, under which the parameter's type is stored.
    pub id: NodeId,
    /// Whether `...` precedes it.
    pub variadic: bool,
    /// The name.
    pub name: Name,
    /// The annotation.
    pub annotation: Option<Annotation>,
    /// The default value.
    pub default: Option<Expr>,
}

/// What follows a `:`: a type with modifiers, or modifiers alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Annotation {
    /// The type with its own modifiers (`mat'mirror`).
    pub ty: Option<TypeExpr>,
    /// The modifiers when there is no type (`gain : 'const = 2.5`); empty otherwise.
    pub modifiers: Vec<Modifier>,
    /// Location after the colon.
    pub span: Span,
}

/// `type name[params] : body`.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeDef {
    /// The name.
    pub name: Name,
    /// Type parameters.
    pub params: Vec<TypeParam>,
    /// The definition.
    pub body: TypeBody,
}

/// The body of a `type` definition.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeBody {
    /// `type x : other`.
    Alias(TypeExpr),
    /// `class`, `mutable class`, `dynamic class`.
    Class { kind: ClassKind, fields: Vec<Field> },
    /// `type x : base` with a body.
    Derived { base: TypeExpr, fields: Vec<Field> },
    /// `enum`.
    Enum(Vec<(Name, Option<Expr>)>),
}

/// The mutability of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClassKind {
    /// Fields cannot be assigned.
    Immutable,
    /// Fields can be assigned.
    Mutable,
    /// Fields can be added at run time.
    Dynamic,
}

/// A field of a class.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The name.
    pub name: Name,
    /// The type.
    pub ty: Option<TypeExpr>,
}

/// A rewrite rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Reduction {
    /// Pattern variables.
    pub params: Vec<Param>,
    /// Whether the single parameter had no parentheses.
    pub bare: bool,
    /// The expression to match.
    pub pattern: Expr,
    /// The replacement.
    pub replacement: Expr,
    /// The guard.
    pub condition: Option<Expr>,
}

/// `{!words arg; key=value}`.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// The words, for instance `parallel`, `for`; never empty.
    pub words: Vec<Name>,
    /// The arguments in order.
    pub arguments: Vec<AttributeArg>,
    /// Whether it was in braces.
    pub braces: bool,
    /// Location of the whole attribute.
    pub span: Span,
}

/// `key = value`, or a value alone (macro invocations).
#[derive(Clone, Debug, PartialEq)]
pub struct AttributeArg {
    /// The name before `=`.
    pub key: Option<Name>,
    /// The value.
    pub value: Expr,
}

/// A written type.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeExpr {
    /// Identity.
    pub id: NodeId,
    /// Source location.
    pub span: Span,
    /// The type itself.
    pub kind: TypeExprKind,
    /// `'mirror 'const`.
    pub modifiers: Vec<Modifier>,
}

/// The kinds of written types.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeExprKind {
    /// `??`.
    Unspecified,
    /// `^T`.
    Pointer(Box<TypeExpr>),
    /// `name{rank}[args](sizes)`; each part may be missing. `vec3` and `mat2x3` are plain names here.
    Named { name: Name, rank: Option<RankExpr>, args: Vec<TypeArg>, sizes: Vec<SizeExpr> },
    /// `[A|B]`.
    Union(Vec<TypeExpr>),
    /// `[__device__ (A, ...B) -> (C, D)]`; a curried result is another `Function`.
    Function { kind: FunctionKind, params: Vec<(bool, TypeExpr)>, results: Vec<TypeExpr> },
    /// A type that could not be parsed.
    Invalid,
}

/// Between the braces of `cube{..}`.
#[derive(Clone, Debug, PartialEq)]
pub enum RankExpr {
    /// `cube{4}`.
    Number(u32),
    /// `cube{N}`.
    Param(Name),
    /// `cube{:}`.
    Any,
}

/// Between the brackets of `vec[..]`.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeArg {
    /// A type.
    Type(TypeExpr),
    /// A constant expression.
    Const(Expr),
    /// `{T1, T2}` of tuple types.
    Tuple(Vec<TypeArg>),
}

/// Between the parentheses of `mat(..)`.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "the large variant is the usual one")]
pub enum SizeExpr {
    /// `:`.
    Any,
    /// An expression, linear in size parameters.
    Expr(Expr),
}

/// `'name(args)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Modifier {
    /// The name without apostrophe.
    pub name: Name,
    /// Arguments of `hwtex_nearest` and `hwtex_linear`.
    pub args: Vec<Expr>,
}

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// Identity.
    pub id: NodeId,
    /// Source location.
    pub span: Span,
    /// The expression itself.
    pub kind: ExprKind,
}

/// A number as written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// Without point and exponent (or with a radix suffix).
    Int(u64),
    /// With a point or an exponent.
    Float(f64),
    /// With the suffix `i` or `j`.
    Imaginary(f64),
}

/// The kinds of expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// A number.
    Number(Number),
    /// A string with `""` already resolved.
    Text(String),
    /// A name, also `true`, `false`, `nullptr`, `pi`.
    Name(String),
    /// `$name`, or `$args[in]` with its selector; arguments follow as a [`ExprKind::Call`]. The name includes `$`.
    Meta { name: String, selector: Option<Name> },
    /// `a op b`, without assignments.
    Infix { op: InfixOp, lhs: Box<Expr>, rhs: Box<Expr> },
    /// `-a`, `+a`, `!a`.
    Prefix { op: PrefixOp, operand: Box<Expr> },
    /// `a..b` or `a..step..b`.
    Range { from: Box<Expr>, step: Option<Box<Expr>>, to: Box<Expr> },
    /// `c ? a : b`.
    Ternary { condition: Box<Expr>, then: Box<Expr>, otherwise: Box<Expr> },
    /// `f(args)`.
    Call { callee: Box<Expr>, args: Vec<CallArg> },
    /// `x[i, j]`, whatever `x` is.
    Index { base: Box<Expr>, indices: Vec<IndexArg> },
    /// `f[T]` directly before `(`, where `f` is known to be generic by its spelling (`vec`, `zeros`, `shared`, ..) or
    /// where the brackets contain something that only a type can be; other cases are `Index` and resolved later.
    Instantiate { base: Box<Expr>, rank: Option<RankExpr>, args: Vec<TypeArg> },
    /// `a.b`.
    Member { base: Box<Expr>, member: Name },
    /// `[e1, ...e2]`.
    Array(Vec<Element>),
    /// `{e1, ...e2}`.
    Cell(Vec<Element>),
    /// `{a := 1, b := 2}`.
    Object(Vec<(Name, Expr)>),
    /// `(e : T)`: has the value of `e` and asserts its type.
    TypeCheck { value: Box<Expr>, ty: TypeExpr },
    /// `(a; b; c)`: value of the last.
    Sequence(Vec<Expr>),
    /// A long chain of operators or calls, split into pieces in evaluation order to limit the tree's height. In all but
    /// the first, [`ExprKind::Carried`] stands for the value of the preceding piece; the value of the last is that of
    /// the chain.
    Chain(Vec<Expr>),
    /// The value of the preceding piece of an [`ExprKind::Chain`].
    Carried,
    /// `(e)`; kept for the printer.
    Paren(Box<Expr>),
    /// `target = value`, `target : annotation = value`, `target += value`.
    Assign { target: Box<Target>, op: Option<AssignOp>, value: Box<Expr> },
    /// `x : T` or `x : 'modifier` as a statement.
    Declare { name: Name, annotation: Annotation },
    /// `(x <- v)` and `(x <- (v, expected))`.
    Exchange { place: Box<Expr>, value: Box<Expr>, expected: Option<Box<Expr>> },
    /// `(x : T, y) -> body`.
    Lambda(Box<Lambda>),
    /// A type used as a value: argument of `type`, `cast`, `maxvalue`, constructors.
    Type(Box<TypeExpr>),
    /// An expression that could not be parsed; an error was reported.
    Invalid,
}

/// Binary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InfixOp {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `^`
    Power,
    /// `.*`
    DotMultiply,
    /// `./`
    DotDivide,
    /// `.^`
    DotPower,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `&&`
    And,
    /// `||`
    Or,
}

/// Prefix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PrefixOp {
    /// `-`
    Negate,
    /// `+`
    Plus,
    /// `!`
    Not,
}

/// Compound assignments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AssignOp {
    /// `+=`
    Add,
    /// `-=`
    Subtract,
    /// `*=`
    Multiply,
    /// `/=`
    Divide,
    /// `^=`
    Power,
    /// `.*=`
    DotMultiply,
    /// `./=`
    DotDivide,
    /// `.^=`
    DotPower,
    /// `&=`: bitwise and
    BitAnd,
    /// `|=`: bitwise or
    BitOr,
    /// `~=`: bitwise exclusive or
    BitXor,
    /// `^^=`: maximum
    Max,
    /// `__=`: minimum
    Min,
}

/// The target of an assignment.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "the large variant is the usual one")]
pub enum Target {
    /// A variable, element, slice or field, optionally with an annotation.
    Place { place: Expr, annotation: Option<Annotation> },
    /// `[a, _, b : T]`; `None` is `_`.
    Multiple { span: Span, places: Vec<Option<(Expr, Option<Annotation>)>> },
}

/// One argument of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum CallArg {
    /// `e`
    Positional(Expr),
    /// `name := e`
    Named(Name, Expr),
    /// `...e`
    Spread(Expr),
}

/// One index.
#[derive(Clone, Debug, PartialEq)]
pub enum IndexArg {
    /// `:`
    All(Span),
    /// `e`, also ranges.
    Expr(Expr),
    /// `...p`
    Spread(Expr),
}

/// One element of an array or cell literal.
#[derive(Clone, Debug, PartialEq)]
pub enum Element {
    /// `e`
    Expr(Expr),
    /// `...e`
    Spread(Expr),
}

impl Expr {
    /// The elements of a cell literal, unless one of them is spread.
    pub fn cell_items(&self) -> Option<Vec<&Expr>> {
        match &self.kind {
            ExprKind::Paren(inner) => inner.cell_items(),
            ExprKind::Cell(items) => items
                .iter()
                .map(|item| match item {
                    Element::Expr(item) => Some(item),
                    Element::Spread(_) => None,
                })
                .collect(),
            _ => None,
        }
    }
}

/// An anonymous function.
#[derive(Clone, Debug, PartialEq)]
pub struct Lambda {
    /// `__device__`, `__kernel__` or neither.
    pub kind: FunctionKind,
    /// Parameters; defaults and `...` are rejected later.
    pub params: Vec<Param>,
    /// Whether the single parameter had no parentheses.
    pub bare: bool,
    /// The body.
    pub body: Expr,
}
