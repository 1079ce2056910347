"""The models that the cases call, each made to show what an option does."""

MODELS = {
    # A state event, a jump of v, a parameter with a tank beside it.
    "ball.chi": """proc Ball(e: real) =
|[ y: real := 1.0, v: real := 0.0
 | y' = v, v' = -9.81
 | *[ nabla y <= 0 and v < 0; v := -e*v ]
]|
xper = |[ Ball(0.8) ]|
""",
    # The same on a floor that can hold it.
    "rest.chi": """proc Ball() =
|[ y: real := 1.0, v, F: real
 | |F|, y' = v, v' = -9.81 + F
 , [ y > 0 or F < 0 -> F = 0 | y <= 0 and F >= 0 -> v' = 0 ]
 | *[ nabla y <= 0 and v < 0; v := -0.5*v ]
]|
""",
    "given.chi": "func twice(x: real) -> real = 2*x\n"
                 "proc Q(k: real) = |[ !k, \"\\n\" ]|\n"
                 "proc P(n: nat, xs: real*, t: nat # real, r: { a: real, b: nat }, f: (real) -> real, u: -> real, s: string) =\n"
                 "|[ x: real | x := sample u; !n, xs, t, r, f(2.0), x, s ]|\n"
                 "xper X(n: nat, xs: real*, t: nat # real, r: { a: real, b: nat }, s: string) =\n"
                 "|[ P(n, xs, t, r, twice, constant(4.0), s) || A: Q(1.0) ]|\n",
    "given.toml": "n = 3\nxs = [1, 2.5]\nt = [1, 2.5]\nr = { a = 1.5, b = 2 }\ns = \"hi\"\n[A]\nk = 7\n",
    "given.json": '{"n": 3, "xs": [1, 2.5], "t": [1, 2.5], "r": {"b": 2, "a": 1.5}, "s": "hi", "A": {"k": 7}}\n',
    "circle.chi": "proc P() = |[ x: real := 3.0, y: real := 4.0 | |x, y|, x' = 0.1, x^2 + y^2 = 1.0 ]|\n",
    "spring.toml": "k = 4\n",
    "spring.json": '{"k": 5.0}\n',
    "near.toml": "kk = 4\n",
    "broken.toml": "k = = 4\n",
    "limit.chi": "proc P() = |[ x: real | x' = 1.0, require x < 2.0, \"too far\" ]|\n",
    "spring.chi": "proc Spring(k: real) = |[ x: real := 1.0, v: real := 0.0 | x' = v, v' = -k*x ]|\n",
    # The solution is exp(-t); nothing else happens.
    "decay.chi": "proc P() = |[ x: real := 1.0 | x' = -x ]|\n",
    "pulse.chi": "proc P() = |[ x: real | x' = -x + 100*exp(-1e4*(time - 5.2)^2) ]|\n",
    "two.chi": 'proc A() = |[ | !"a" ]|\nproc B() = |[ | !"b" ]|\n',
    "steps.chi": "proc P() = |[ n: nat, b: bool | *[ n < 4 -> delta 0.5; n := n + 1; b := not b ]; terminate ]|\n",
    "dice.chi": "proc P() = |[ u: real, d: -> real := uniform(0.0, 1.0) | u := sample d; !u ]|\n",
    # Both can happen at once; the first is taken unless a drawn one is asked for.
    "choice.chi": """proc S(a: !void) = |[ n: nat | *[ n < 20 -> a!; n := n + 1 ] ]|
proc R(a: ?void, b: ?void) = |[ n: nat | *[ n < 40 -> [ true; a? -> !"a" | true; b? -> !"b" ]; n := n + 1 ]; terminate ]|
xper = |[ a, b: -void | S(a) || S(b) || R(a, b) ]|
""",
    "slide.chi": "proc P() = |[ x: real := 0.5 | x' = if x > 0 then -1.0 else 1.0 ]|\n",
    # A mode whose constraint asks for another value of a state.
    "jump.chi": """proc P() =
|[ v, w: real, F: real, on: bool
 | v' = -F, w' = F, [ on -> v = w, |F| | not on -> F = 0, |F| ]
 | v := 1.0; delta 1.0; on := true; delta 1.0; terminate
]|
""",
    "fall.chi": """proc P() =
|[ y: real := 0.0, v: real := -1.0, N: real
 | |N|, y' = v, v' = N - 10, 0 <= y complements N >= 0
]|
""",
    # A variable of every kind.
    "kinds.chi": """type r = { a: real, s: string }
proc P() =
|[ x: real := 1.0, n: int := 9007199254740993, s: string := "a", xs: nat* := [1, 2], st: set(nat) := {3, 1}
 , d: dict(string, real) := {"k": 1.5}, q: r := { a = inf, s = "z" }, ys: (real # string*)* := [<-inf, ["\\"\\n"]>]
 , u: -> real := constant(2.0), low: real := -inf
 | x' = 1
 | s := s ++ str(n); xs := xs ++ [size(st) + size(d) + len(ys)]; low := low + min(q.a, sample u); q.s := "z" ++ q.s
]|
""",
    "warns.chi": "proc P() = |[ x: nat | delta 1.0 ]|\n",
    "wrong.chi": "proc P() = |[ x: nat := true | !x ]|\n",
    "crooked.chi": "proc  P() =   |[ x:nat | x:=1 ; !x ]|\n",
    "long.chi": "proc P() = |[ n: nat | *[ true -> !n, \"\\n\"; n := n + 1; delta 1.0 ] ]|\n",
    # Says one word, then goes on and on.
    "forever.chi": "proc P() = |[ n: nat | !\"here\\n\"; *[ true -> n := 1 - n; delta 1.0 ] ]|\n",
    "singular.chi": "proc P() = |[ x, y: real | |x, y|, x + y = 1.0, x + y = 2.0 ]|\n",
    "pendulum.chi": """proc P() =
|[ x: real, y: real := 0.0, vx: real, vy: real := 0.0, T: real
 | |x, vx, T|, x' = vx, y' = vy, vx' = T*x, vy' = T*y - 9.81, x^2 + y^2 = 1.0
]|
""",
    "part.chi": "proc Part(k: real := 1.0) = |[ x: real | x' = k ]|\n",
    "uses.chi": "from part import Part\n\nsys S() = |[ Part() ]|\n",
    "twice.chi": "proc P(k: real) = |[ x: real | x' = k ]|\n\nsys S() = |[ A: P(1.0) || B: P(1.0) ]|\n",
    # One pole at -0.5, gain 2.
    "linear.chi": "proc P(ref u: real) = |[ x: real := 1.0, y: real | |y|, x' = 2*u - 0.5*x, y = x ]|\n",
    "throw.chi": """proc Throw(a: real) =
|[ x: real := 0.0, y: real := 0.0, v: real := 10.0*sin(a)
 | x' = 10.0*cos(a), y' = v, v' = -9.81
 | nabla y < 0; terminate
]|
""",
    # cos 1.5 t
    "spring.csv": "time,x\n0,1\n0.5,0.7316888688738209\n1,0.0707372016677029\n2,-0.9899924966004454\n",
    # A plan of a study, and one that is wrong.
    "plan.toml": """model = "spring.chi"
end = 1.0
[vary]
k = [1.0, 4.0]
[measure]
peak = "max(x)"
last = "x(end)"
""",
    "bad.toml": 'model = "spring.chi"\nend = 1.0\n[vary]\nk = [1.0]\n[mesure]\npeak = "max(x)"\n',
    "old.csv": "time,x,y\n0,1,5\n1,2,5\n1,3,5\n2,4,5\n",
}
