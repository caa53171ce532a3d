/// The target heart rates of a person who sleeps, works, walks and trains, day after day.
///
/// Each day is computed only from the seed and the number of the day.
struct DayCourse: Hashable, Sendable {
  /// A target heart rate at a time. Targets between two points are interpolated linearly.
  struct Point: Hashable, Sendable {
    /// Seconds since midnight of the first day.
    var time: Double
    /// The heart rate in beats per minute.
    var heartRate: Double
  }

  static let secondsPerDay = 86_400.0

  let resting: Double
  let maximum: Double
  /// The time of day at which the simulation starts, in seconds since midnight.
  let start: Double
  /// Whether a training session starts a few minutes after the simulation does.
  let beginsWithSession: Bool
  let seed: UInt64

  /// Returns the points of a day in chronological order.
  /// - Parameter day: The number of the day; the simulation starts on day 0.
  func points(ofDay day: Int) -> [Point] {
    var random = SplitMix64(seed: seed, stream: 0x6461_7900 &+ UInt64(bitPattern: Int64(day)))
    var sketch = DaySketch(resting: resting, midnight: Double(day) * Self.secondsPerDay)
    let wake = random.uniform(in: 22_500..<27_000)
    let bed = random.uniform(in: 80_000..<84_600)
    sketch.sleep(from: 0, to: wake, &random)
    sketch.hold(resting + 22, for: random.uniform(in: 240..<600))
    sketch.hold(resting + 14, for: random.uniform(in: 900..<1800))
    sketch.walk(for: random.uniform(in: 600..<1500), &random)
    sketch.sit(until: random.uniform(in: 43_200..<45_000), &random)
    sketch.walk(for: random.uniform(in: 300..<900), &random)
    sketch.hold(resting + 18, for: random.uniform(in: 1200..<2100))
    sketch.sit(until: random.uniform(in: 61_200..<64_800), &random)
    sketch.walk(for: random.uniform(in: 600..<1500), &random)
    if random.unit() < 0.45 {
      sketch.hold(resting + 16, for: random.uniform(in: 900..<1800))
      sketch.train(to: maximum, &random)
    }
    sketch.sit(until: bed - 3600, &random)
    sketch.hold(resting + 7, for: max(0, bed - sketch.time))
    sketch.sleep(from: bed, to: Self.secondsPerDay, &random)
    return day == 0 && beginsWithSession ? withSession(sketch.points) : sketch.points
  }

  /// Replaces the points after the start of the simulation with a training session.
  private func withSession(_ points: [Point]) -> [Point] {
    var random = SplitMix64(seed: seed, stream: 0x7365_7373)
    var sketch = DaySketch(resting: resting, midnight: 0)
    sketch.time = start
    sketch.hold(resting + random.uniform(in: 4..<10), for: random.uniform(in: 75..<180))
    sketch.train(to: maximum, &random)
    return points.filter { $0.time < start } + sketch.points + points.filter { $0.time > sketch.time }
  }
}

/// The points of a day, while they are being generated.
private struct DaySketch {
  let resting: Double
  let midnight: Double
  /// Seconds since midnight.
  var time = 0.0
  private(set) var points: [DayCourse.Point] = []

  init(resting: Double, midnight: Double) {
    self.resting = resting
    self.midnight = midnight
  }

  /// Adds a constant target for `duration`. The change is abrupt, because the heart follows the target with a
  /// delay anyway.
  mutating func hold(_ heartRate: Double, for duration: Double) {
    guard duration > 0 else { return }
    points.append(DayCourse.Point(time: midnight + time, heartRate: heartRate))
    time += duration
    points.append(DayCourse.Point(time: midnight + time - 0.001, heartRate: heartRate))
  }

  /// Adds sleep: light and deep sleep alternate in cycles of about 95 minutes. The heart rate falls until 4
  /// a.m. and rises towards the morning.
  mutating func sleep(from start: Double, to end: Double, _ random: inout SplitMix64) {
    time = max(time, start)
    while time < end {
      let fromNadir = abs(time < 43_200 ? time - 14_400 : time - 100_800) / 14_400
      let deep = resting - 9 + 5 * min(1.5, fromNadir)
      hold(deep + random.uniform(in: -1..<1), for: min(end - time, random.uniform(in: 1500..<2700)))
      hold(deep + random.uniform(in: 2..<5), for: min(end - time, random.uniform(in: 900..<1500)))
      // During dreams, the heart rate is higher and less regular.
      for _ in 0..<3 {
        hold(deep + random.uniform(in: 3..<11), for: min(end - time, random.uniform(in: 200..<500)))
      }
    }
  }

  /// Adds sitting, with an occasional short walk or a few stairs.
  mutating func sit(until end: Double, _ random: inout SplitMix64) {
    while time < end {
      hold(
        resting + random.uniform(in: 4..<13), for: min(end - time, random.uniform(in: 420..<1500)))
      hold(
        resting + random.uniform(in: 20..<42), for: min(end - time, random.uniform(in: 30..<150)))
    }
  }

  mutating func walk(for duration: Double, _ random: inout SplitMix64) {
    let end = time + duration
    while time < end {
      hold(
        resting + random.uniform(in: 26..<40), for: min(end - time, random.uniform(in: 90..<240)))
    }
  }

  /// Adds training: a warm-up, a steady pace or intervals, and a cool-down.
  mutating func train(to maximum: Double, _ random: inout SplitMix64) {
    let reserve = maximum - resting
    for part in [0.38, 0.48, 0.55] { hold(resting + reserve * part, for: random.uniform(in: 90..<150)) }
    if random.unit() < 0.5 {
      let pace = random.uniform(in: 0.66..<0.76)
      let blocks = 10 + Int(random.uniform(in: 0..<8))
      for block in 0..<blocks {
        // At the same pace, the heart rate rises slowly (cardiovascular drift). Random hills are added.
        let drift = 0.06 * Double(block) / Double(blocks)
        hold(
          resting + reserve * (pace + drift + random.uniform(in: -0.04..<0.04)),
          for: random.uniform(in: 100..<180))
      }
    } else {
      for _ in 0..<4 + Int(random.uniform(in: 0..<3)) {
        hold(resting + reserve * random.uniform(in: 0.86..<0.94), for: random.uniform(in: 150..<210))
        hold(resting + reserve * random.uniform(in: 0.50..<0.58), for: random.uniform(in: 90..<130))
      }
    }
    hold(resting + reserve * 0.42, for: random.uniform(in: 180..<300))
    for excess in [24.0, 18, 13] { hold(resting + excess, for: random.uniform(in: 240..<420)) }
  }
}

/// Looks up target heart rates of a course at ascending times.
struct DayCursor: Sendable {
  private let course: DayCourse
  private var day: Int
  private var points: [DayCourse.Point]
  private var index = 0

  init(_ course: DayCourse) {
    self.course = course
    day = 0
    points = course.points(ofDay: 0)
  }

  /// Returns the target heart rate `time` seconds after the start of the simulation.
  mutating func heartRate(at time: Double) -> Double {
    let time = course.start + time
    while time >= Double(day + 1) * DayCourse.secondsPerDay {
      day += 1
      points = course.points(ofDay: day)
      index = 0
    }
    while index + 1 < points.count, points[index + 1].time <= time { index += 1 }
    guard index + 1 < points.count, points[index].time <= time else { return points[index].heartRate }
    let (from, to) = (points[index], points[index + 1])
    let length = to.time - from.time
    guard length > 0 else { return to.heartRate }
    return from.heartRate + (to.heartRate - from.heartRate) * (time - from.time) / length
  }
}
