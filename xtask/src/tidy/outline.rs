//! What the measures and rules need to know of a Rust file, read with `syn`.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use anyhow::Context as _;
use syn::spanned::Spanned as _;
use syn::visit::{self, Visit};
use syn::{Attribute, Fields, Item, ItemMod, ItemStruct, ItemUse, Path, UseTree};

use super::source::Source;

/// A Rust file, without what is compiled for tests only.
#[derive(Debug, Default)]
pub(crate) struct Outline {
    pub(crate) path: String,
    /// For each line, whether it is code: neither blank nor a comment.
    lines: Vec<bool>,
    /// The lines of items under `cfg(test)`.
    pub(crate) test_lines: Vec<RangeInclusive<usize>>,
    /// Modules in files of their own.
    pub(crate) modules: Vec<Declared>,
    /// Structs with named fields.
    pub(crate) structs: Vec<Struct>,
    /// The modules at the top of the crate that this file names.
    pub(crate) imports: BTreeSet<String>,
    /// Inline modules around the item that is visited.
    inside: Vec<String>,
}

/// `mod name;`
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Declared {
    /// With the inline modules around it.
    pub(crate) name: String,
    /// The file that a `path` attribute names.
    pub(crate) file: Option<String>,
    pub(crate) is_test: bool,
}

#[derive(Debug)]
pub(crate) struct Struct {
    pub(crate) name: String,
    pub(crate) fields: Vec<String>,
}

impl Outline {
    pub(crate) fn read(source: &Source) -> anyhow::Result<Self> {
        let file =
            syn::parse_file(&source.text).with_context(|| format!("reading {}", source.path))?;
        let is_code = |line: &str| !line.trim().is_empty() && !line.trim().starts_with("//");
        let lines = source.text.lines().map(is_code).collect();
        let mut outline = Self { path: source.path.clone(), lines, ..Self::default() };
        outline.visit_file(&file);
        Ok(outline)
    }

    /// How many lines are not under `cfg(test)`.
    pub(crate) fn product_lines(&self) -> usize {
        self.outside_tests().count()
    }

    /// How many of them are neither blank nor comments.
    pub(crate) fn code_lines(&self) -> usize {
        self.outside_tests().filter(|is_code| *is_code).count()
    }

    fn outside_tests(&self) -> impl Iterator<Item = bool> {
        let lines = self.lines.iter().enumerate();
        let outside = lines.filter(|(index, _)| {
            let line = index + 1;
            !self.test_lines.iter().any(|tests| tests.contains(&line))
        });
        outside.map(|(_, is_code)| *is_code)
    }

    /// How deep below the top of its crate the module of this file is.
    fn depth(&self) -> usize {
        let inside = self.path.split("/src/").nth(1).unwrap_or_default();
        let folders = inside.matches('/').count();
        let is_own = ["mod.rs", "lib.rs", "main.rs"].iter().all(|name| !inside.ends_with(name));
        folders + usize::from(is_own) + self.inside.len()
    }

    /// Notes `crate::name`, however it is spelt.
    fn names(&mut self, words: &[String]) {
        let ups = words.iter().take_while(|word| *word == "super").count();
        let at = match words.first().map(String::as_str) {
            Some("crate") => 1,
            Some("super") if ups == self.depth() => ups,
            _ => return,
        };
        self.imports.extend(words.get(at).cloned());
    }
}

impl<'ast> Visit<'ast> for Outline {
    fn visit_item(&mut self, item: &'ast Item) {
        if is_test(attributes(item)) {
            if let Item::Mod(module) = item {
                self.declare(module);
            }
            let span = item.span();
            self.test_lines.push(span.start().line..=span.end().line);
        } else {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, module: &'ast ItemMod) {
        self.declare(module);
        self.inside.push(module.ident.to_string());
        visit::visit_item_mod(self, module);
        self.inside.pop();
    }

    fn visit_item_struct(&mut self, item: &'ast ItemStruct) {
        if let Fields::Named(fields) = &item.fields {
            let fields = fields.named.iter().filter_map(|field| field.ident.as_ref());
            let fields = fields.map(ToString::to_string).collect();
            self.structs.push(Struct { name: item.ident.to_string(), fields });
        }
        visit::visit_item_struct(self, item);
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.walk(&item.tree, &mut Vec::new());
    }

    fn visit_path(&mut self, path: &'ast Path) {
        let words: Vec<String> = path.segments.iter().map(|part| part.ident.to_string()).collect();
        self.names(&words);
        visit::visit_path(self, path);
    }
}

impl Outline {
    fn declare(&mut self, module: &ItemMod) {
        if module.content.is_none() {
            let inside =
                self.inside.iter().chain([&module.ident.to_string()]).cloned().collect::<Vec<_>>();
            let is_test = is_test(&module.attrs);
            let file = module.attrs.iter().find_map(file_of);
            self.modules.push(Declared { name: inside.join("/"), file, is_test });
        }
    }

    /// Every path of a `use`, from its first word on.
    fn walk(&mut self, tree: &UseTree, words: &mut Vec<String>) {
        match tree {
            UseTree::Path(path) => {
                words.push(path.ident.to_string());
                self.walk(&path.tree, words);
                words.pop();
            }
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.walk(tree, words)),
            UseTree::Name(name) => self.names(&[&**words, &[name.ident.to_string()]].concat()),
            UseTree::Rename(name) => self.names(&[&**words, &[name.ident.to_string()]].concat()),
            UseTree::Glob(_) => self.names(&words.clone()),
        }
    }
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// `cfg(test)` and `cfg(all(test, …))`.
fn is_test(attributes: &[Attribute]) -> bool {
    let cfg = attributes.iter().filter(|attribute| attribute.path().is_ident("cfg"));
    let words = cfg
        .filter_map(|attribute| attribute.meta.require_list().ok())
        .map(|list| list.tokens.to_string());
    words.into_iter().any(|words| words == "test" || words.starts_with("all (test"))
}

/// The text of `#[path = "…"]`.
fn file_of(attribute: &Attribute) -> Option<String> {
    let pair =
        attribute.meta.require_name_value().ok().filter(|pair| pair.path.is_ident("path"))?;
    match &pair.value {
        syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.value()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Declared, Outline, Source};

    fn read(path: &str, text: &str) -> Outline {
        Outline::read(&Source::new(path, text)).unwrap()
    }

    #[test]
    fn tests_are_told_from_the_product() {
        let text = "//! A.\nmod a;\n#[cfg(test)]\nmod tests {\n    fn f() {}\n}\n\
            #[cfg(all(test, loom))]\nmod slots;\n#[cfg(not(test))]\nfn g() {}\n";
        let outline = read("crates/a/src/lib.rs", text);
        assert_eq!(outline.test_lines, [3..=6, 7..=8]);
        assert_eq!((outline.product_lines(), outline.code_lines()), (4, 3));
        let declared =
            |name: &str, is_test| Declared { name: name.to_owned(), file: None, is_test };
        assert_eq!(outline.modules, [declared("a", false), declared("slots", true)]);
    }

    #[test]
    fn modules_may_be_within_others_and_in_other_files() {
        let outline =
            read("src/lib.rs", "mod a { mod b { mod c; } }\n#[path = \"x/slot.rs\"]\nmod slot;\n");
        assert_eq!(outline.modules[0].name, "a/b/c");
        assert_eq!(outline.modules[1].file.as_deref(), Some("x/slot.rs"));
    }

    #[test]
    fn imports_are_known_by_the_module_at_the_top() {
        let text = "use crate::{engine::Engine, tls};\nuse super::Session;\nuse super::super::config::Config;\n\
            fn f() -> crate::health::State { std::process::abort() }\n";
        let outline = read("crates/server/src/http/serve.rs", text);
        let imports: Vec<&str> = outline.imports.iter().map(String::as_str).collect();
        assert_eq!(imports, ["config", "engine", "health", "tls"]);
    }

    #[test]
    fn structs_are_known_by_their_fields() {
        let outline = read("a.rs", "struct A { pub limit: u64, left: u64 }\nstruct B(u8);\n");
        assert_eq!(outline.structs[0].fields, ["limit", "left"]);
        assert_eq!(outline.structs.len(), 1);
    }
}
