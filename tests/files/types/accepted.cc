// accepted.nika

fn twice #0 (f, n) -> i64 pauses of twice {
  param f: ref fn(i64) -> i64
  param n: i64
  temp %2: i64
  temp %3: i64
  // 19: fn twice(f: fn(i64) -> i64, n: i64) -> i64 { return f(f(n)) }
  declare %2
  %2 = call value f.*(copy n) -> i64 pauses
  declare %3
  %3 = call value f.*(copy %2) -> i64 pauses
  return copy %3
}

fn triple #1 (n) -> i64 of triple {
  param n: i64
  temp %1: i64
  // 20: fn triple(n: i64) -> i64 { return n * 3 }
  declare %1
  %1 = mul copy n, 3
  return copy %1
}

fn describe #2 (l) -> String of describe {
  param l: ref Load
  temp %1: String
  temp %2: i32
  temp %3: bool
  temp %4: String
  temp %5: i32
  temp %6: bool
  let n%7: i64
  temp %8: bool
  temp %9: i64
  temp %10: String
  temp %11: i32
  temp %12: bool
  let n%13: i64
  temp %14: i64
  temp %15: String
  temp %16: i32
  temp %17: bool
  let label: ref String
  let count: i64
  temp %20: ref String
  temp %21: i64
  temp %22: String
  // 22: return match l {
  declare %1
  block L0 {
    // 23: Load::Empty => "empty"
    block L1 {
      declare %2
      %2 = variant of l.*
      declare %3
      %3 = eq copy %2, 0: i32
      if copy %3 {
      } else {
        leave L1
      }
      declare %4
      %4 = to_text "empty"
      %1 = move %4
      leave L0
    }
    // 24: Load::Bulk(n) if n > 9 => f"much {n}"
    block L2 {
      declare %5
      %5 = variant of l.*
      declare %6
      %6 = eq copy %5, 1: i32
      if copy %6 {
      } else {
        leave L2
      }
      declare n%7
      n%7 = copy l.*.Bulk#0
      declare %8
      %8 = gt copy n%7, 9
      if copy %8 {
      } else {
        leave L2
      }
      declare %9
      %9 = copy n%7
      declare %10
      %10 = format ("much ", hole copy %9)
      %1 = move %10
      leave L0
    }
    // 25: Load::Bulk(n) => f"bulk {n}"
    block L3 {
      declare %11
      %11 = variant of l.*
      declare %12
      %12 = eq copy %11, 1: i32
      if copy %12 {
      } else {
        leave L3
      }
      declare n%13
      n%13 = copy l.*.Bulk#0
      declare %14
      %14 = copy n%13
      declare %15
      %15 = format ("bulk ", hole copy %14)
      %1 = move %15
      leave L0
    }
    // 26: Load::Boxed { label, count } => f"{label} {count}"
    block L4 {
      declare %16
      %16 = variant of l.*
      declare %17
      %17 = eq copy %16, 2: i32
      if copy %17 {
      } else {
        leave L4
      }
      declare label
      label = lend l.*.Boxed#1
      declare count
      count = copy l.*.Boxed#0
      declare %20
      %20 = copy label
      declare %21
      %21 = copy count
      declare %22
      %22 = format (hole copy %20, " ", hole copy %21)
      %1 = move %22
      leave L0
    }
    // 22: return match l {
    unreachable
  }
  return move %1
}

fn main #3 () pauses of main {
  temp %0: String
  let mut text: String
  let low: i32
  temp %3: i32
  temp %4: String
  let half: f64
  temp %6: f64
  temp %7: f64
  temp %8: String
  temp %9: Vec[String]
  let mut words: Vec[String]
  temp %11: String
  temp %12: String
  temp %13: i64
  temp %14: String
  temp %15: String
  temp %16: collections::HashMap[String, i32]
  let mut seen: collections::HashMap[String, i32]
  let w: ref String
  temp %19: i32
  temp %20: i32?
  temp %21: bool
  temp %22: i32
  temp %23: String
  temp %24: i32
  temp %25: i32?
  temp %26: bool
  temp %27: i32
  temp %28: i32?
  temp %29: bool
  temp %30: String
  let mut found: i32?
  temp %32: Vec[i32]
  let n: i32
  temp %34: bool
  temp %35: bool
  temp %36: bool
  temp %37: i32?
  temp %38: i32
  temp %39: bool
  temp %40: String
  let cents: i64
  temp %42: Vec[i32]
  temp %43: Jar[Vec[i32]]
  let jar: Jar[Vec[i32]]
  temp %45: Vec[i32]
  temp %46: i64
  temp %47: i64
  temp %48: String
  temp %49: Stop
  temp %50: i64
  temp %51: String
  temp %52: fn(i64) -> i64
  temp %53: i64
  temp %54: fn(i64) -> i64
  temp %55: i64
  temp %56: String
  temp %57: Vec[i32]
  temp %58: fn(i32) -> i32
  temp %59: Vec[i32]
  let sums: Vec[i32]
  temp %61: fn(i32, i32) -> i32
  temp %62: i32
  temp %63: Range[i32]
  temp %64: fn(i32) -> i32
  temp %65: Seq[i32, sync, ends, sized]
  temp %66: Vec[i32]
  temp %67: i64
  temp %68: String
  temp %69: Load
  temp %70: Load
  temp %71: String
  temp %72: Load
  temp %73: Vec[Load]
  let l: ref Load
  temp %75: String
  temp %76: String
  temp %77: String
  temp %78: Stop
  temp %79: Stop?
  temp %80: Stop
  let chain: Stop
  temp %82: ref String
  temp %83: (ref String)?
  temp %84: bool
  temp %85: (ref String)?
  temp %86: bool
  temp %87: ref String
  temp %88: (ref Stop)?
  temp %89: bool
  temp %90: (ref Stop)?
  temp %91: bool
  temp %92: (ref String)?
  temp %93: bool
  temp %94: (ref String)?
  temp %95: bool
  temp %96: String
  temp %97: i64
  temp %98: i64
  temp %99: (i64, ref String)
  let low_part: i64
  let rest: ref String
  temp %102: i64
  temp %103: ref String
  temp %104: String
  // 31: let mut text = "a"
  declare text
  declare %0
  %0 = to_text "a"
  text = move %0
  // 32: text += "b"
  call String.push_str(lend_mut text, "b")
  // 33: println(text)
  call println(lend text)
  // 34: let low = -2147483648
  declare low
  low = -2147483648: i32
  // 35: println(f"{low} {2147483648 - 1}")
  declare %3
  %3 = copy low
  declare %4
  %4 = format (hole copy %3, " ", hole 2147483647: i32)
  call println(lend %4)
  // 36: let half: f64 = 3
  declare half
  half = float 3
  // 37: println(f"{half / 2} {1.5 * 2}")
  declare %6
  %6 = div copy half, float 2
  declare %7
  %7 = mul float 1.5, float 2
  declare %8
  %8 = format (hole copy %6, " ", hole copy %7)
  call println(lend %8)
  // 39: let mut words = []
  declare words
  declare %9
  %9 = list Vec[String] ()
  words = move %9
  // 40: words.push("one")
  declare %11
  %11 = to_text "one"
  call Vec.push[String](lend_mut words, move %11)
  // 41: words.push(f"tw{"o"}")
  declare %12
  %12 = format ("tw", hole "o")
  call Vec.push[String](lend_mut words, move %12)
  // 42: println(f"{words.len()} {words.join("-")}")
  scope {
    declare %13
    %13 = call Vec.len[String](lend words) -> i64
    declare %14
    %14 = call Vec.join[String](lend words, "-") -> String
    declare %15
    %15 = format (hole copy %13, " ", hole lend %14)
    call println(lend %15)
    drop %14
  }
  // 44: let mut seen = collections::HashMap()
  declare seen
  declare %16
  %16 = call HashMap::new[String, i32]() -> collections::HashMap[String, i32]
  seen = move %16
  // 45: for w in words { seen[w.clone()] = (seen[w] ?? 0) + 1 }
  walk L0 lend words as w {
    scope {
      declare %19
      declare %20
      %20 = map_read seen, copy w
      declare %21
      %21 = is_null %20
      if copy %21 {
        %19 = 0: i32
      } else {
        %19 = copy %20.?
      }
      declare %22
      %22 = add copy %19, 1: i32
      declare %23
      %23 = call String.clone(copy w) -> String
      map_write seen, move %23 = copy %22
    }
  }
  // 46: println(f"{seen["one"] ?? 0} {seen["six"] ?? 0}")
  declare %24
  declare %25
  %25 = map_read seen, "one"
  declare %26
  %26 = is_null %25
  if copy %26 {
    %24 = 0: i32
  } else {
    %24 = copy %25.?
  }
  declare %27
  declare %28
  %28 = map_read seen, "six"
  declare %29
  %29 = is_null %28
  if copy %29 {
    %27 = 0: i32
  } else {
    %27 = copy %28.?
  }
  declare %30
  %30 = format (hole copy %24, " ", hole copy %27)
  call println(lend %30)
  // 48: let mut found = null
  declare found
  found = null: i32?
  // 49: for n in [4, 7, 9] {
  scope {
    declare %32
    %32 = list Vec[i32] (4: i32, 7: i32, 9: i32)
    walk L1 lend %32 as n {
      scope {
        // 50: if n > 5 && found == null { found = n }
        declare %34
        %34 = gt copy n, 5: i32
        declare %35
        %35 = copy %34
        if copy %35 {
          declare %36
          %36 = is_null found
          %35 = copy %36
        }
        if copy %35 {
          declare %37
          %37 = some copy n
          store found = copy %37
        }
      }
    }
    // 49: for n in [4, 7, 9] {
    drop %32
  }
  // 52: println(f"{found ?? -1}")
  declare %38
  declare %39
  %39 = is_null found
  if copy %39 {
    %38 = -1: i32
  } else {
    %38 = copy found.?
  }
  declare %40
  %40 = format (hole copy %38)
  call println(lend %40)
  // 54: let cents: i64 = 7
  declare cents
  cents = 7
  // 55: let jar = Jar { shelf: 1, content: [1, 2, 3] }
  declare jar
  declare %42
  %42 = list Vec[i32] (1: i32, 2: i32, 3: i32)
  declare %43
  %43 = struct Jar[Vec[i32]] (1, move %42)
  jar = move %43
  // 56: println(f"{first(jar.open())} {cost(cents)} {cost(Stop { name: "pier", onward: null })}")
  scope {
    declare %45
    %45 = call Jar::open[Vec[i32]](move jar) -> Vec[i32]
    declare %46
    %46 = call first[i32](lend %45) -> i64
    declare %47
    %47 = call cost[i64](lend cents) -> i64 pauses
    declare %48
    %48 = to_text "pier"
    declare %49
    %49 = struct Stop (move %48, null: Stop?)
    declare %50
    %50 = call cost[Stop](lend %49) -> i64 pauses
    declare %51
    %51 = format (hole copy %46, " ", hole copy %47, " ", hole copy %50)
    call println(lend %51)
    drop %49
    drop %45
  }
  // 57: println(f"{twice(triple, 2)} {twice(fn(n) { n + 1 }, 5)}")
  scope {
    declare %52
    %52 = fn triple: fn(i64) -> i64
    declare %53
    %53 = call twice(lend %52, 2) -> i64 pauses
    declare %54
    %54 = closure #10 ()
    declare %55
    %55 = call twice(lend %54, 5) -> i64 pauses
    declare %56
    %56 = format (hole copy %53, " ", hole copy %55)
    call println(lend %56)
    drop %52
  }
  // 58: let sums = [1, 2, 3].map fn(n) { n * 2 }
  declare sums
  scope {
    declare %57
    %57 = list Vec[i32] (1: i32, 2: i32, 3: i32)
    declare %58
    %58 = closure #11 ()
    declare %59
    %59 = call Vec.map[i32, i32](lend %57, move %58) -> Vec[i32]
    sums = move %59
    drop %57
  }
  // 59: println(f"{sums.reduce(0) fn(a, b) { a + b }} {(1..4).map fn(n) { n * n }.collect().len()}")
  scope {
    declare %61
    %61 = closure #12 ()
    declare %62
    %62 = call Vec.reduce[i32, i32](lend sums, 0: i32, move %61) -> i32
    declare %63
    %63 = range inclusive 1: i32, 4: i32
    declare %64
    %64 = closure #13 ()
    declare %65
    %65 = call Seq.map[i32, i32](copy %63, move %64) -> Seq[i32, sync, ends, sized]
    declare %66
    %66 = call Seq.collect[i32](move %65) -> Vec[i32]
    declare %67
    %67 = call Vec.len[i32](lend %66) -> i64
    declare %68
    %68 = format (hole copy %62, " ", hole copy %67)
    call println(lend %68)
    drop %66
  }
  // 60: for l in [Load::Empty, Load::Bulk(12), Load::Boxed { label: "x", count: 2 }] { println(describe(l)) }
  scope {
    declare %69
    %69 = variant Empty of Load ()
    declare %70
    %70 = variant Bulk of Load (12)
    declare %71
    %71 = to_text "x"
    declare %72
    %72 = variant Boxed of Load (2, move %71)
    declare %73
    %73 = list Vec[Load] (move %69, move %70, move %72)
    walk L2 lend %73 as l {
      scope {
        declare %75
        %75 = call describe(copy l) -> String
        call println(lend %75)
      }
    }
    drop %73
  }
  // 61: let chain = Stop { name: "a", onward: Stop { name: "b", onward: null } }
  declare chain
  declare %76
  %76 = to_text "a"
  declare %77
  %77 = to_text "b"
  declare %78
  %78 = struct Stop (move %77, null: Stop?)
  declare %79
  %79 = some move %78
  declare %80
  %80 = struct Stop (move %76, move %79)
  chain = move %80
  // 62: println(f"{chain.onward?.name ?? "-"} {chain.onward?.onward?.name ?? "end"}")
  declare %82
  declare %83
  declare %84
  %84 = is_null chain.onward
  if copy %84 {
    %83 = null: (ref String)?
  } else {
    declare %85
    %85 = some lend chain.onward.?.name
    %83 = copy %85
  }
  declare %86
  %86 = is_null %83
  if copy %86 {
    %82 = "-"
  } else {
    %82 = copy %83.?
  }
  declare %87
  declare %88
  declare %89
  %89 = is_null chain.onward
  if copy %89 {
    %88 = null: (ref Stop)?
  } else {
    declare %90
    declare %91
    %91 = is_null chain.onward.?.onward
    if copy %91 {
      %90 = null: (ref Stop)?
    } else {
      %90 = some lend chain.onward.?.onward.?
    }
    %88 = copy %90
  }
  declare %92
  declare %93
  %93 = is_null %88
  if copy %93 {
    %92 = null: (ref String)?
  } else {
    declare %94
    %94 = some lend %88.?.*.name
    %92 = copy %94
  }
  declare %95
  %95 = is_null %92
  if copy %95 {
    %87 = "end"
  } else {
    %87 = copy %92.?
  }
  declare %96
  %96 = format (hole copy %82, " ", hole copy %87)
  call println(lend %96)
  // 63: let (low_part, rest) = (words[0].len(), "x")
  declare low_part
  declare rest
  declare %97
  %97 = 0
  declare %98
  %98 = call String.len(lend words[%97]) -> i64
  declare %99
  %99 = tuple (copy %98, "x")
  low_part = copy %99.0
  rest = copy %99.1
  // 64: println(f"{low_part}{rest}")
  declare %102
  %102 = copy low_part
  declare %103
  %103 = copy rest
  declare %104
  %104 = format (hole copy %102, hole copy %103)
  call println(lend %104)
  // 30: fn main() {
  drop chain
  drop sums
  drop jar
  drop seen
  drop words
  drop text
  return
}

fn Stop::cents #4 (self) -> i64 of Stop::cents {
  param self: ref Stop
  temp %1: i64
  // 10: impl Priced for Stop { fn cents(ref self) -> i64 { return self.name.len() } }
  declare %1
  %1 = call String.len(lend self.*.name) -> i64
  return copy %1
}

fn i64::cents #5 (self) -> i64 of i64::cents {
  param self: ref i64
  temp %1: i64
  // 11: impl Priced for i64 { fn cents(ref self) -> i64 { return self * 100 } }
  declare %1
  %1 = mul copy self.*, 100
  return copy %1
}

fn Jar::open #6 (self) -> Vec[i32] of Jar::open value[Vec[i32]] {
  param self: Jar[Vec[i32]]
  temp %1: Vec[i32]
  // 14: fn open(self) -> T { return self.content }
  declare %1
  %1 = move self.content
  drop self
  return move %1
}

fn first #7 (xs) -> i64 of first value[i32] {
  param xs: ref Vec[i32]
  temp %1: i64
  // 18: fn first[T](xs: Vec[T]) -> i64 { return xs.len() }
  declare %1
  %1 = call Vec.len[i32](copy xs) -> i64
  return copy %1
}

fn cost #8 (item) -> i64 pauses of cost value[i64] {
  param item: ref i64
  temp %1: i64
  // 17: fn cost[T: Priced](item: T) -> i64 { return item.cents() }
  declare %1
  %1 = call i64::cents[i64](copy item) -> i64 pauses
  return copy %1
}

fn cost #9 (item) -> i64 pauses of cost value[Stop] {
  param item: ref Stop
  temp %1: i64
  // 17: fn cost[T: Priced](item: T) -> i64 { return item.cents() }
  declare %1
  %1 = call Stop::cents[Stop](copy item) -> i64 pauses
  return copy %1
}

closure "main{closure 6}" #10 (n) -> i64 inside #3 {
  param n: i64
  temp %1: i64
  // 57: println(f"{twice(triple, 2)} {twice(fn(n) { n + 1 }, 5)}")
  declare %1
  %1 = add copy n, 1
  return copy %1
}

closure "main{closure 7}" #11 (n) -> i32 inside #3 {
  param n: i32
  temp %1: i32
  // 58: let sums = [1, 2, 3].map fn(n) { n * 2 }
  declare %1
  %1 = mul copy n, 2: i32
  return copy %1
}

closure "main{closure 8}" #12 (a, b) -> i32 inside #3 {
  param a: i32
  param b: i32
  temp %2: i32
  // 59: println(f"{sums.reduce(0) fn(a, b) { a + b }} {(1..4).map fn(n) { n * n }.collect().len()}")
  declare %2
  %2 = add copy a, copy b
  return copy %2
}

closure "main{closure 9}" #13 (n) -> i32 inside #3 {
  param n: i32
  temp %1: i32
  // 59: println(f"{sums.reduce(0) fn(a, b) { a + b }} {(1..4).map fn(n) { n * n }.collect().len()}")
  declare %1
  %1 = mul copy n, copy n
  return copy %1
}

fn Stop::cents #14 (self) -> i64 of Stop::cents value[Stop] {
  param self: ref Stop
  temp %1: i64
  // 10: impl Priced for Stop { fn cents(ref self) -> i64 { return self.name.len() } }
  declare %1
  %1 = call String.len(lend self.*.name) -> i64
  return copy %1
}

fn i64::cents #15 (self) -> i64 of i64::cents value[i64] {
  param self: ref i64
  temp %1: i64
  // 11: impl Priced for i64 { fn cents(ref self) -> i64 { return self * 100 } }
  declare %1
  %1 = mul copy self.*, 100
  return copy %1
}
