//! Functions as values that are known at run time: those that fields and variables of type `??` hold. Each becomes a function
//! that takes what the closure captured and anything else, converts it, and calls the one that is meant.

use super::{Context, unique};
use crate::ir::build;
use crate::ir::choices::FunctionValues;
use crate::ir::{Body, Expr, ExprKind, Function, FunctionId, GlobalId, Stmt, StmtKind, VarId};
use crate::sema::model::Definition;
use crate::syntax::ast;
use crate::syntax::printer::print_type;
use crate::types::{Boundary, Type};

impl Context<'_> {
    pub(super) fn function_values(&mut self) {
        let mut names = self.program.functions.iter().map(|(_, f)| f.name.clone()).collect();
        let mut made = Vec::new();
        for (closure, ty, instance) in &self.model.function_values {
            let Some(target) = self.function(*instance) else { continue };
            let captures = &self.model.instances[*instance].captures;
            let name = unique(&format!("{}_value", self.program.functions[target].name), &mut names);
            let text = self.text_of(self.model.instances[*instance].definition);
            let own = captures.iter().take_while(|capture| capture.module_variable().is_none()).count();
            let shared = captures.iter().filter_map(|capture| self.globals.get(capture.module_variable()?));
            let function = self.adapter(target, (own, shared.copied().collect()), name, text);
            made.push((closure.clone(), ty.clone(), self.program.functions.push(function)));
        }
        let functions = self.index.functions.iter().map(|(id, function)| (*id, function_text(function)));
        let lambdas = self.index.lambdas.iter().map(|(id, lambda)| (*id, lambda_text(*id, lambda)));
        self.program.function_values = FunctionValues { made, texts: functions.chain(lambdas).collect() };
    }

    fn text_of(&self, definition: Definition) -> String {
        match definition {
            Definition::Function(id) => self.index.function(id).map(function_text),
            Definition::Lambda(id) => self.index.lambda(id).map(|lambda| lambda_text(id, lambda)),
            Definition::Module(_) => None,
        }
        .unwrap_or_default()
    }

    /// `function r1 : ??, .. = name(captured.., a : ??, ..)` around the function, which is given the module-level variables
    /// that it captured.
    fn adapter(
        &self,
        target: FunctionId,
        (captures, shared): (usize, Vec<GlobalId>),
        name: String,
        text: String,
    ) -> Function {
        let inner = &self.program.functions[target];
        let span = inner.span;
        let mut body = Body::default();
        let mut args = Vec::new();
        for (place, param) in inner.body.params.iter().enumerate() {
            let mut variable = inner.body.variables[*param].clone();
            let wanted = variable.ty.clone();
            if let Some(global) = place.checked_sub(captures).and_then(|k| shared.get(k)) {
                let value =
                    Expr::new(ExprKind::Global(*global), self.program.globals[*global].ty.clone(), span);
                args.push(build::convert(value, &wanted));
                continue;
            }
            if place >= captures {
                variable.ty = Type::Dynamic;
                variable.boundary = Boundary::Checked;
            }
            let param = body.variables.push(variable);
            body.params.push(param);
            args.push(build::convert(body.read(param, span), &wanted));
        }
        let results: Vec<VarId> = inner
            .body
            .results
            .iter()
            .map(|result| body.temporary(inner.body.variables[*result].ty.clone(), span))
            .collect();
        let call =
            StmtKind::Call { function: target, args, results: results.iter().copied().map(Some).collect() };
        body.block.push(Stmt { kind: call, span });
        for result in results {
            let value = build::convert(body.read(result, span), &Type::Dynamic);
            let variable = body.temporary(Type::Dynamic, span);
            body.results.push(variable);
            body.block.push(Stmt { kind: StmtKind::Assign { variable, value }, span });
        }
        let (device, processor, lambda) = (false, false, false);
        Function { name, source_name: text, device, processor, lambda, body, span }
    }
}

fn function_text(function: &ast::Function) -> String {
    format!("function {}({})", function.name.text, params_text(&function.params))
}

fn lambda_text(id: ast::NodeId, lambda: &ast::Lambda) -> String {
    // The lambda that a function of the library becomes as a value has the name of the function.
    if id.is_synthetic()
        && let ast::ExprKind::Call { callee, args } = &lambda.body.kind
        && let ast::ExprKind::Name(name) = &callee.kind
        && args.len() == lambda.params.len()
        && args.iter().zip(&lambda.params).all(|(arg, param)| {
            matches!(arg, ast::CallArg::Positional(ast::Expr { kind: ast::ExprKind::Name(given), .. }) if *given == param.name.text)
        })
    {
        return format!("function {name}({})", params_text(&lambda.params));
    }
    format!("lambda({})", params_text(&lambda.params))
}

fn params_text(params: &[ast::Param]) -> String {
    let shown = |param: &ast::Param| {
        let dots = if param.variadic { "..." } else { "" };
        let ty = param.annotation.as_ref().and_then(|annotation| annotation.ty.as_ref());
        let ty = ty.map_or(String::new(), |ty| format!(" : {}", print_type(ty)));
        let default = if param.default.is_some() { " = .." } else { "" };
        format!("{dots}{}{ty}{default}", param.name.text)
    };
    params.iter().map(shown).collect::<Vec<_>>().join(", ")
}
