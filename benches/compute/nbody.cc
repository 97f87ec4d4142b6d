// The planets around the sun, as nbody.nika does it.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

struct Body {
  double x, y, z, vx, vy, vz, mass;
};

static std::vector<Body> bodies() {
  const double solar_mass = 39.47841760435743;
  const double days = 365.24;
  return {
      {0, 0, 0, 0, 0, 0, solar_mass},
      {4.84143144246472090, -1.16032004402742839, -0.103622044471123109, 0.00166007664274403694 * days,
       0.00769901118419740425 * days, -0.0000690460016972063023 * days, 0.000954791938424326609 * solar_mass},
      {8.34336671824457987, 4.12479856412430479, -0.403523417114321381, -0.00276742510726411040 * days,
       0.00499852801234917238 * days, 0.0000230417297573763929 * days, 0.000285885980666130812 * solar_mass},
      {12.8943695621391310, -15.1111514016986312, -0.223307578892655734, 0.00296460137564761618 * days,
       0.00237847173959480950 * days, -0.0000296589568540237556 * days, 0.0000436624404335156298 * solar_mass},
      {15.3796971148509165, -25.9193146099879641, 0.179258772950371181, 0.00268067772490389322 * days,
       0.00162824170038242295 * days, -0.0000951592254519715870 * days, 0.0000515138902046611451 * solar_mass},
  };
}

static void settle(std::vector<Body>& all) {
  double px = 0, py = 0, pz = 0;
  for (const Body& b : all) {
    px += b.vx * b.mass;
    py += b.vy * b.mass;
    pz += b.vz * b.mass;
  }
  const double mass = all[0].mass;
  all[0].vx = -px / mass;
  all[0].vy = -py / mass;
  all[0].vz = -pz / mass;
}

static double energy(const std::vector<Body>& all) {
  double sum = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    sum += 0.5 * all[i].mass * (all[i].vx * all[i].vx + all[i].vy * all[i].vy + all[i].vz * all[i].vz);
    for (std::size_t k = i + 1; k < all.size(); ++k) {
      const double dx = all[i].x - all[k].x, dy = all[i].y - all[k].y, dz = all[i].z - all[k].z;
      sum -= all[i].mass * all[k].mass / std::sqrt(dx * dx + dy * dy + dz * dz);
    }
  }
  return sum;
}

static void advance(std::vector<Body>& all, double dt) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t k = i + 1; k < all.size(); ++k) {
      const double dx = all[i].x - all[k].x, dy = all[i].y - all[k].y, dz = all[i].z - all[k].z;
      const double square = dx * dx + dy * dy + dz * dz;
      const double magnitude = dt / (square * std::sqrt(square));
      const double to = all[k].mass * magnitude, from = all[i].mass * magnitude;
      all[i].vx -= dx * to;
      all[i].vy -= dy * to;
      all[i].vz -= dz * to;
      all[k].vx += dx * from;
      all[k].vy += dy * from;
      all[k].vz += dz * from;
    }
  }
  for (Body& b : all) {
    b.x += dt * b.vx;
    b.y += dt * b.vy;
    b.z += dt * b.vz;
  }
}

int main(int argc, char** argv) {
  const long steps = argc > 1 ? std::atol(argv[1]) : 1000;
  std::vector<Body> all = bodies();
  settle(all);
  std::printf("%.9f\n", energy(all));
  for (long step = 0; step < steps; ++step) advance(all, 0.01);
  std::printf("%.9f\n", energy(all));
}
