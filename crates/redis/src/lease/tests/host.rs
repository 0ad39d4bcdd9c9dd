//! An embedded Lua 5.1 that our scripts take for Redis: a few commands over a map, on time that a test moves.

use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

use mlua::{Error, Function, Lua, MultiValue, Table, Value as LuaValue, Variadic};
use redis::Value;

/// What a server holds, and its time in microseconds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Store {
    pub(crate) now: u64,
    keys: BTreeMap<Vec<u8>, Entry>,
}

#[derive(Clone, Debug)]
struct Entry {
    /// `None` for a key that holds something else.
    fields: Option<BTreeMap<Vec<u8>, Vec<u8>>>,
    expires: Option<u64>,
}

impl Store {
    /// A field of a hash that is there.
    pub(super) fn field(&self, key: &[u8], field: &[u8]) -> Option<Vec<u8>> {
        let entry = self.keys.get(key)?;
        let is_there = entry.expires.is_none_or(|expires| expires > self.now);
        is_there.then_some(())?;
        entry.fields.as_ref()?.get(field).cloned()
    }

    pub(super) fn put_foreign(&mut self, key: &[u8]) {
        let entry = Entry { fields: None, expires: None };
        self.keys.insert(key.to_vec(), entry);
    }

    fn run(&mut self, words: &[Vec<u8>]) -> Result<Value, &'static str> {
        let now = self.now;
        let is_live = |entry: &Entry| entry.expires.is_none_or(|expires| expires > now);
        self.keys.retain(|_, entry| is_live(entry));
        let words: Vec<&[u8]> = words.iter().map(Vec::as_slice).collect();
        match words.as_slice() {
            [b"TIME"] => {
                let parts = [now / 1_000_000, now % 1_000_000];
                let text = |part: u64| Value::BulkString(part.to_string().into_bytes());
                Ok(Value::Array(parts.map(text).to_vec()))
            }
            [b"EXISTS", key] => Ok(Value::Int(self.keys.contains_key(*key).into())),
            [b"DEL", key] => Ok(Value::Int(self.keys.remove(*key).is_some().into())),
            [b"PEXPIRE", key, after] => {
                let after: u64 = std::str::from_utf8(after).unwrap().parse().unwrap();
                let entry = self.keys.get_mut(*key);
                let is_there = entry.is_some();
                entry.into_iter().for_each(|entry| entry.expires = Some(now + after * 1_000));
                Ok(Value::Int(is_there.into()))
            }
            [b"HSET", key, pairs @ ..] => {
                let fields = self.hash(key)?;
                for pair in pairs.chunks(2) {
                    fields.insert(pair[0].to_vec(), pair[1].to_vec());
                }
                Ok(Value::Int(0))
            }
            [command, key, fields @ ..] => self.look(command, key, fields),
            _ => Err("ERR unknown command"),
        }
    }

    fn look(
        &mut self,
        command: &[u8],
        key: &[u8],
        fields: &[&[u8]],
    ) -> Result<Value, &'static str> {
        let is_there = self.keys.contains_key(key);
        let hash = self.hash(key)?;
        let field = |name: &[u8]| hash.get(name).cloned().map_or(Value::Nil, Value::BulkString);
        let value = match command {
            b"HGET" => field(fields[0]),
            b"HMGET" => Value::Array(fields.iter().map(|name| field(name)).collect()),
            b"HLEN" => Value::Int(hash.len().try_into().unwrap()),
            b"HGETALL" => {
                let pairs = hash.iter().flat_map(|(name, value)| [name, value]);
                Value::Array(pairs.cloned().map(Value::BulkString).collect())
            }
            b"HDEL" => {
                fields.iter().for_each(|name| drop(hash.remove(*name)));
                Value::Int(0)
            }
            _ => return Err("ERR unknown command"),
        };
        if !is_there {
            self.keys.remove(key);
        }
        Ok(value)
    }

    fn hash(&mut self, key: &[u8]) -> Result<&mut BTreeMap<Vec<u8>, Vec<u8>>, &'static str> {
        let empty = || Entry { fields: Some(BTreeMap::new()), expires: None };
        let entry = self.keys.entry(key.to_vec()).or_insert_with(empty);
        let wrong = "WRONGTYPE Operation against a key holding the wrong kind of value";
        entry.fields.as_mut().ok_or(wrong)
    }
}

/// The interpreter, with what it takes for a server.
#[derive(Debug)]
pub(crate) struct Host {
    lua: Lua,
    store: Rc<RefCell<Store>>,
}

impl Host {
    pub(crate) fn new() -> Self {
        let (lua, store) = (Lua::new(), Rc::new(RefCell::new(Store::default())));
        let table = lua.create_table().unwrap();
        for (name, is_protected) in [("call", false), ("pcall", true)] {
            let store = Rc::clone(&store);
            let command = lua.create_function(move |lua, words: Variadic<LuaValue>| {
                let words: Vec<Vec<u8>> = words.iter().map(word).collect();
                match store.borrow_mut().run(&words) {
                    Ok(value) => to_lua(lua, &value),
                    Err(error) if is_protected => {
                        let table = lua.create_table()?;
                        table.set("err", error)?;
                        Ok(LuaValue::Table(table))
                    }
                    Err(error) => Err(Error::runtime(error)),
                }
            });
            table.set(name, command.unwrap()).unwrap();
        }
        lua.globals().set("redis", table).unwrap();
        Self { lua, store }
    }

    /// Makes a script ready.
    pub(crate) fn load(&self, text: &str) -> Function {
        self.lua.load(text).into_function().unwrap()
    }

    /// Runs a script against a store.
    pub(crate) fn run(
        &self,
        script: &Function,
        store: &mut Store,
        keys: &[&[u8]],
        args: &[Vec<u8>],
    ) -> Result<Value, Error> {
        let globals = self.lua.globals();
        let strings = |texts: &[&[u8]]| -> Result<Table, Error> {
            let texts = texts.iter().map(|text| self.lua.create_string(text));
            self.lua.create_sequence_from(texts.collect::<Result<Vec<_>, _>>()?)
        };
        let args: Vec<&[u8]> = args.iter().map(Vec::as_slice).collect();
        globals.set("KEYS", strings(keys)?)?;
        globals.set("ARGV", strings(&args)?)?;
        std::mem::swap(store, &mut self.store.borrow_mut());
        let result = script.call::<MultiValue>(());
        std::mem::swap(store, &mut self.store.borrow_mut());
        Ok(to_redis(&result?.into_iter().next().unwrap_or(LuaValue::Nil)))
    }
}

/// An argument of a command: numbers are written out.
fn word(value: &LuaValue) -> Vec<u8> {
    match value {
        LuaValue::String(text) => text.as_bytes().to_vec(),
        LuaValue::Integer(number) => number.to_string().into_bytes(),
        LuaValue::Number(number) => number.to_string().into_bytes(),
        other => panic!("Lua redis lib command arguments must be strings or integers: {other:?}"),
    }
}

fn to_lua(lua: &Lua, value: &Value) -> Result<LuaValue, Error> {
    Ok(match value {
        Value::Int(number) => LuaValue::Integer(*number),
        Value::BulkString(bytes) => LuaValue::String(lua.create_string(bytes)?),
        Value::Array(values) => {
            let values = values.iter().map(|value| to_lua(lua, value));
            let values = values.collect::<Result<Vec<_>, _>>()?;
            LuaValue::Table(lua.create_sequence_from(values)?)
        }
        _ => LuaValue::Boolean(false),
    })
}

/// As Redis does it: a list ends at the first nil, a number loses its fraction.
#[expect(clippy::cast_possible_truncation, reason = "that is what Redis does")]
fn to_redis(value: &LuaValue) -> Value {
    match value {
        LuaValue::String(text) => Value::BulkString(text.as_bytes().to_vec()),
        LuaValue::Integer(number) => Value::Int(*number),
        LuaValue::Number(number) => Value::Int(*number as i64),
        LuaValue::Boolean(true) => Value::Int(1),
        LuaValue::Table(table) => {
            let values = (1..).map(|place| table.get::<LuaValue>(place).unwrap());
            let values = values.take_while(|value| !value.is_nil());
            Value::Array(values.map(|value| to_redis(&value)).collect())
        }
        _ => Value::Nil,
    }
}
