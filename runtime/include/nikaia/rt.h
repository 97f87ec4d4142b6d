// What emitted programs include, through the precompiled header.
#pragma once

#include <nikaia/rt/base.h>
#include <nikaia/rt/box.h>
#include <nikaia/rt/btree.h>
#include <nikaia/rt/emitted.h>
#include <nikaia/rt/fn.h>
#include <nikaia/rt/format.h>
#include <nikaia/rt/hash.h>
#include <nikaia/rt/map.h>
#include <nikaia/rt/maybe.h>
#include <nikaia/rt/numbers.h>
#include <nikaia/rt/order.h>
#include <nikaia/rt/result.h>
#include <nikaia/rt/run.h>
#include <nikaia/rt/seq.h>
#include <nikaia/rt/sum.h>
#include <nikaia/rt/text.h>
#include <nikaia/rt/text_rows.h>
#include <nikaia/rt/tuple.h>
#include <nikaia/rt/vec.h>
#include <nikaia/rt/vec_rows.h>
