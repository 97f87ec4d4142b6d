// The long form of a failure (language 04 §1.11), its chain, and the trace NIKAIA_TRACE=1 asks for.
#include <execinfo.h>

#include <nikaia/rt/format.h>
#include <nikaia/rt/result.h>

namespace nikaia {

namespace {

bool environment_wants_traces() {
  const char* asked = std::getenv("NIKAIA_TRACE");
  return asked != nullptr && std::strcmp(asked, "1") == 0;
}

Str text_at(const char* bytes) {
  return Str(bytes, std::strlen(bytes));
}

void indent(String& out, std::size_t blanks) {
  out.append_repeated(U' ', blanks);
}

void write_site(String& out, const Site* site, std::size_t blanks) {
  indent(out, blanks);
  if (site == nullptr) {
    out.append("raised outside Nikaia source (no site)\n"_s);
    return;
  }
  out.append("raised at "_s);
  out.append(text_at(site->file));
  out.append_byte(':');
  show(out, site->line);
  out.append(" in `"_s);
  out.append(text_at(site->function));
  out.append("` ("_s);
  out.append(text_at(site->code));
  out.append(")\n"_s);
}

// A message of several lines stays under its own indentation.
void write_message(String& out, Str message, std::size_t blanks) {
  for (std::size_t i = 0; i < message.size; ++i) {
    out.append_byte(message.data[i]);
    if (message.data[i] == '\n') {
      indent(out, blanks);
    }
  }
  out.append_byte('\n');
}

void write_failure(String& out, const FailureRecord& record, std::size_t blanks) {
  write_message(out, record.type->message(record), blanks);
  write_site(out, record.site, blanks + 2);
  for (const FailureRecord* joined = record.joined; joined != nullptr; joined = joined->next) {
    indent(out, blanks + 2);
    out.append("together with: "_s);
    write_failure(out, *joined, blanks + 2);
  }
}

constexpr Str no_trace = "  no stack trace was captured; NIKAIA_TRACE=1 asks for one"_s;

}  // namespace

bool traces_wanted = environment_wants_traces();

void capture_trace(FailureRecord* record) {
  void* frames[64];
  const int count = backtrace(frames, 64);
  char** const names = backtrace_symbols(frames, count);
  if (names == nullptr) {
    return;
  }
  String text;
  for (int i = 2; i < count; ++i) {  // without this function and Failure::make
    text.append("    "_s);
    text.append(text_at(names[i]));
    text.append_byte('\n');
  }
  std::free(names);
  text.reserve(1);
  record->trace = text.buffer();
  record->trace_size = text.size();
  hold(record->trace);
}

void Failure::release() {
  // Iteratively along the chain: it may be as long as a scope had tasks.
  FailureRecord* record = record_;
  record_ = nullptr;
  while (record != nullptr) {
    FailureRecord* next = record->next;
    if (record->joined != nullptr) {
      record->last->next = next;
      next = record->joined;
    }
    let_go(record->trace);
    record->type->destroy(record);
    record = next;
  }
}

String Failure::message() const {
  return record_ == nullptr ? String() : record_->type->message(*record_);
}

String Failure::full() const {
  String out;
  if (record_ == nullptr) {
    return out;
  }
  write_failure(out, *record_, 0);
  if (record_->trace != nullptr) {
    out.append("  stack trace:\n"_s);
    out.append(Str(bytes_of(record_->trace), record_->trace_size - (record_->trace_size == 0 ? 0 : 1)));
  } else {
    out.append(no_trace);
  }
  return out;
}

void Failure::join(Failure other) {
  if (other.record_ == nullptr) {
    return;
  }
  if (record_ == nullptr) {
    record_ = other.record_;
  } else {
    if (record_->joined == nullptr) {
      record_->joined = other.record_;
    } else {
      record_->last->next = other.record_;
    }
    record_->last = other.record_;
  }
  other.record_ = nullptr;
}

String full_of_unthrown(String message) {
  String out;
  write_message(out, message, 0);
  write_site(out, nullptr, 2);
  out.append(no_trace);
  return out;
}

}  // namespace nikaia
