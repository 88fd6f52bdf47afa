import t from 'tap';
import { scriptFixture } from '../../tools/gateway/script-fixture.js';

/**
 * For the scripts below: `judge` returns why an object that a script received is a leak: it leads to the
 * process, or has prototypes of another realm. `seen` prints that for everything that the script passes to
 * it.
 */
const JUDGE = `
  const roots = new Set([Object.prototype, Function.prototype]);
  function judge(item) {
    if (item === null || (typeof item !== 'object' && typeof item !== 'function')) return 'ok';
    let isUsable = false;
    try {
      const made = item.constructor.constructor('return typeof process')();
      if (made !== 'undefined') return 'leads to the process';
      isUsable = true;
    } catch {}
    let isFrozen = true;
    for (let at = item; at !== null; at = Object.getPrototypeOf(at)) {
      if (roots.has(at)) return 'ok';
      isFrozen &&= at === item || Object.isFrozen(at);
    }
    if (Object.getPrototypeOf(item) === null) return 'ok';
    return isFrozen && !isUsable ? 'inert' : 'of another realm';
  }
  const put = [];
  const seen = (item) => void put.push(judge(item));
  function verdict() {
    const bad = put.filter((one) => one !== 'ok');
    print(put.length === 0 ? 'nothing was seen' : bad.length > 0 ? bad[0] : 'ok');
  }
`;

/** Each obtains an object that the process may have created. */
const attempts: Readonly<Record<string, string>> = {
  'the constructor of a global':
    'for (const name of ["print", "include", "setTimeout", "atob", "Double"]) seen(globalThis[name])',
  'the global object': 'seen(this); seen(globalThis)',
  'a reply': 'seen(List()); seen(List()[1]); seen(PARAMETERS); seen(LIST); seen(LIST[0])',
  'an error of a function': 'try { Fails() } catch (e) { seen(e) }',
  'an error of an include':
    'for (const what of ["missing.js", 4711, {}, undefined, "wrong.js", "failing.js"]) try { include(what) } catch (e) { seen(e) }',
  'errors of other globals':
    'for (const f of [() => setTimeout("x"), () => queueMicrotask(1), () => atob("%"), () => btoa("€"), () => print(Object.create(null)), () => Double(1n), () => setTimeout(print, 1n)]) try { f() } catch (e) { seen(e) }',
  'call sites of a stack':
    'try { Error.prepareStackTrace = (e, sites) => { seen(sites); for (const site of sites) { seen(site); seen(site.getThis()); seen(site.getFunction()) } } } catch {} seen(new Error("x").stack); try { null.x } catch (e) { seen(e.stack) } setTimeout(() => { seen(new Error().stack) }, 1)',
  'call sites by another Error':
    'try { globalThis.Error = { prepareStackTrace(e, sites) { seen(sites); return "" } } } catch {} seen(new TypeError("x").stack); try { Fails() } catch (e) { seen(e.stack) }',
  callers:
    'function f() { return [f.caller, f.arguments, arguments.callee.caller] } for (const item of f()) seen(item); setTimeout(() => f().forEach(seen), 1); [1].forEach(() => f().forEach(seen))',
  'arguments of a promise’s callbacks':
    'const { then } = Promise.prototype; Promise.prototype.then = function (...args) { args.forEach(seen); return then.apply(this, args) }; await null; await { then: (...args) => { args.forEach(seen); args[0](1) } }; await Promise.resolve(2).finally(() => {})',
  'traps of a thrown object':
    'const wary = new Proxy({}, { get(target, key, receiver) { seen(target); seen(receiver); seen(key); return undefined }, has: () => true }); try { print(wary) } catch (e) { seen(e) } setTimeout(() => verdict(), 2); try { throw wary } catch (e) { seen(e) }',
  'what a timer passes':
    'setTimeout(function (...args) { seen(this); seen(arguments); args.forEach(seen) }, 1, {}, []); setImmediate(function () { seen(this) }); queueMicrotask(function () { seen(this) })',
  'a dynamic import': 'const p = import("node:fs"); seen(p); await p.catch(seen)',
  'a dynamic import of a text':
    'const ps = [eval("import(`node:fs`)"), new Function("return import(`node:fs`)")(), (0, eval)("import(`x`, { with: { type: `y` } })")]; for (const p of ps) { seen(p); await p.catch(seen) }',
  'a dynamic import without a caller':
    'globalThis.seen = seen; await Promise.resolve("import(`node:fs`).catch(seen)").then(eval); await Promise.resolve("return import(`node:fs`).catch(seen)").then(Function).then((f) => f())',
  'a dynamic import with a thrown specifier':
    'await import({ toString() { throw new Error("mine") } }).catch(seen); await import(Symbol()).catch(seen)',
  WebAssembly:
    'seen(WebAssembly); for (const name of Object.getOwnPropertyNames(WebAssembly)) { try { const p = WebAssembly[name](1); seen(p); await p.catch?.(seen) } catch (e) { seen(e) } }',
  'replaced methods':
    'const { push } = Array.prototype; for (const type of [Array, Map, Set, WeakMap, String, Promise, RegExp]) for (const name of Object.getOwnPropertyNames(type.prototype)) { const own = Object.getOwnPropertyDescriptor(type.prototype, name); if (typeof own.value !== "function" || name === "constructor" || type === Array) continue; type.prototype[name] = function (...args) { put[put.length] = judge(this); for (let i = 0; i < args.length; i++) put[put.length] = judge(args[i]); return own.value.apply(this, args) } } print("x", {}); Double(1); List(); try { Fails() } catch {} include("lib.js"); setTimeout(() => {}, 1); console.log("a", 1); seen("nothing asks for them")',
  'setters on the prototype of all objects':
    'for (const name of ["is", "value", "message", "code", "at", "then", "job", "args", "file", "text", "stack", "get", "set"]) Object.defineProperty(Object.prototype, name, { __proto__: null, set(item) { put[put.length] = judge(this); put[put.length] = judge(item) }, get() { put[put.length] = judge(this); return undefined }, configurable: true }); print({}); Double(1); List(); try { Fails() } catch {} setTimeout(() => {}, 1); await null; for (const name of ["is", "value", "message", "code", "at", "then", "job", "args", "file", "text", "stack", "get", "set"]) delete Object.prototype[name]; seen("nothing asks for them")',
  'a stack that ends inside each global':
    'const all = [() => print("x"), () => include("lib.js"), () => include("missing.js"), () => setTimeout(() => {}, 1), () => clearTimeout(1), () => Double(1), () => List(), () => Fails(), () => atob("aa=="), () => btoa("a"), () => queueMicrotask(() => {}), () => atob("%"), () => console.log(1)]; for (const one of all) { let n = 0; const deep = () => { n++; try { deep() } catch (e) { seen(e) } for (let i = 0; i < 2; i++) try { one() } catch (e) { if (put.length < 5000) seen(e) } if (n > 0 && --n < -1) return }; let budget = 60; const shallow = () => { try { shallow() } catch (e) { seen(e) } if (budget-- > 0) try { one() } catch (e) { seen(e) } }; shallow() }',
  'a stack that ends inside an import':
    'const ps = []; let budget = 100; const deep = () => { try { deep() } catch (e) { seen(e) } if (budget-- > 0) ps.push(import("x")) }; deep(); for (const p of ps) { seen(p); await p.catch(seen) }',
  'everything that is reachable':
    'const known = new Set(); const todo = [globalThis, List(), PARAMETERS]; while (todo.length > 0) { const item = todo.pop(); if ((typeof item !== "object" && typeof item !== "function") || item === null || known.has(item)) continue; known.add(item); seen(item); todo.push(Object.getPrototypeOf(item)); for (const own of Object.values(Object.getOwnPropertyDescriptors(item))) todo.push(own.value, own.get, own.set) } if (known.size < 500) throw new Error("only " + known.size)',
};

for (const [name, text] of Object.entries(attempts))
  t.test(`no object of the process is reachable by ${name}`, async (t) => {
    const { runs, script } = await scriptFixture(t);
    await script('let a = ;', 'wrong.js');
    await script('nothing.there()', 'failing.js');
    await script('var included = true', 'lib.js');
    // The result is printed at the end: by a timer that fires last.
    const attempt = `${JUDGE}\n{ ${text} }\nsetTimeout(verdict, 5);`;
    const output = await runs(attempt, { LIST: [{ a: 1 }] });
    // If the stack ends in the engine's code for an import, the error belongs to the process, with frozen
    // prototypes.
    t.match(output, name === 'a stack that ends inside an import' ? /(ok|inert)$/ : /ok$/);
  });

t.test('WebAssembly is compiled synchronously: nothing settles on a background thread', async (t) => {
  const { runs } = await scriptFixture(t);
  const bytes = 'new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])';
  const compiled = `print(new WebAssembly.Instance(new WebAssembly.Module(${bytes})) instanceof WebAssembly.Instance)`;
  t.equal(await runs(compiled), 'true');
  for (const [name, text] of [
    ['WebAssembly.compile', `await WebAssembly.compile(${bytes})`],
    ['WebAssembly.instantiate', `await WebAssembly.instantiate(${bytes})`],
    ['Atomics.waitAsync', 'await Atomics.waitAsync(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5).value'],
  ] as const)
    await t.rejects(runs(text), { message: new RegExp(`${name} is not a function`) });
});

t.test('a script cannot send a crafted message', async (t) => {
  const { runs, calls } = await scriptFixture(t);
  const forged = `Object.prototype.toJSON = () => ({ is: 'ended', output: 7 }); Array.prototype.toJSON = () => 'x"}\\n{"is":"ended"}';
    try { Double({}) } catch (e) { print(e.message) } print('on')`;
  t.match(await runs(forged), /on$/);
  t.match(calls, [[/script/, [{ is: 'ended' }]]], 'it is the parameter of a call');
});
