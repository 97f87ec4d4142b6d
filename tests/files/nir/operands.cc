// operands.nika

fn main #0() of main {
  let mut shelf : Vec[String] temp % 1 : ref String let label : String let n : i64 let m : i64 temp % 5 : i64 temp %
                                                                                                          6 : i64 temp %
                                                                                                              7
      : String
            // 8: let mut shelf: Vec[String] = []
            declare shelf shelf = list Vec[String]()
                                  // 9: let label = "figs".clone()
                                  declare label declare %
                                  1 % 1 = "figs" label = call String.clone(copy % 1)->String
                                                             // 10: let n = 2
                                                             declare n n = 2
      // 11: let m = n
      declare m m = copy n
                        // 12: shelf.push(label)
                        call Vec.push[String](lend_mut shelf, move label)
                    // 13: println(f"{shelf.len() + m}")
                    declare %
                    5 % 5 = call Vec.len[String](lend shelf)->i64 declare % 6 % 6 = add copy % 5,
                          copy m declare % 7 % 7 = format(hole copy % 6) call println(lend % 7)
                          // 7: fn main() {
                          drop label,
                          shelf return
}
