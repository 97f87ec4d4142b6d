// The toolchain's version, compared by the plugin ABI tag and printed by `nikaia --version`.
#ifndef NIKAIA_VERSION_H
#define NIKAIA_VERSION_H
#define NIKAIA_VERSION "0.1.0"
#endif
