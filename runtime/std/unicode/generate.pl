#!/usr/bin/perl
# Writes tables.inc: what the text rows ask about characters, from the Unicode data Perl carries.
#
#     perl generate.pl > tables.inc
#
# Ranges are first and last character; case mappings are those of SpecialCasing without a locale and without a
# context (the capital sigma's is in text_rows.cc).
use strict;
use warnings;
use feature 'unicode_strings';
use Unicode::UCD;

sub scalars {
  return grep { $_ < 0xD800 || $_ > 0xDFFF } 0 .. 0x10FFFF;
}

sub wrap {
  my ($items) = @_;
  my $line = " ";
  for my $item (@$items) {
    if (length($line) + length($item) + 2 > 118) {
      print "$line\n";
      $line = " ";
    }
    $line .= " $item,";
  }
  print "$line\n" if $line ne " ";
}

sub ranges {
  my ($name, $belongs) = @_;
  my @found;
  my ($first, $last);
  for my $c (scalars()) {
    next unless $belongs->(chr($c));
    if (defined $last && $c == $last + 1) {
      $last = $c;
      next;
    }
    push @found, sprintf("{0x%X, 0x%X}", $first, $last) if defined $first;
    ($first, $last) = ($c, $c);
  }
  push @found, sprintf("{0x%X, 0x%X}", $first, $last) if defined $first;
  print "constexpr Range ${name}[] = {\n";
  wrap(\@found);
  print "};\n\n";
}

sub mapping {
  my ($name, $map) = @_;
  my (@single, @several);
  for my $c (scalars()) {
    my @to = map { ord } split(//, $map->(chr($c)));
    next if @to == 1 && $to[0] == $c;
    if (@to == 1) {
      push @single, sprintf("{0x%X, 0x%X}", $c, $to[0]);
    } else {
      push @several, sprintf("{0x%X, {%s}}", $c, join(", ", map { sprintf("0x%X", $_) } @to));
    }
  }
  print "constexpr Mapping ${name}[] = {\n";
  wrap(\@single);
  print "};\n\nconstexpr LongMapping ${name}_to_several[] = {\n";
  wrap(\@several);
  print "};\n\n";
}

print "// Unicode ", Unicode::UCD::UnicodeVersion(), ", written by generate.pl.\n\n";
ranges("white_space", sub { $_[0] =~ /\p{White_Space}/ });
ranges("alphabetic", sub { $_[0] =~ /\p{Alphabetic}/ });
ranges("number", sub { $_[0] =~ /\p{N}/ });
ranges("cased", sub { $_[0] =~ /\p{Cased}/ });
ranges("case_ignorable", sub { $_[0] =~ /\p{Case_Ignorable}/ });
mapping("upper", sub { uc $_[0] });
mapping("lower", sub { lc $_[0] });
