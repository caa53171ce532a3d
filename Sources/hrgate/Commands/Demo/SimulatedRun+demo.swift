import Foundation
import StrapSimulator

extension SimulatedRun {
  /// Returns the straps of `hrgate demo`: a chest strap and an armband of one wearer, who starts to train, and
  /// a spare strap that can be paired.
  static func demo(seed: UInt64, at date: Date = .now) -> SimulatedRun {
    let midnight = Calendar.current.startOfDay(for: date)
    let names = [(0, "Demo Chest Strap"), (2, "Demo Armband"), (3, "Demo Spare Strap")]
    let straps = names.map { index, name in
      var strap = StrapProfile.sample(index: index)
      strap.name = name
      strap.programme = .day(
        resting: 57, maximum: 184, startingAt: date.timeIntervalSince(midnight), beginsWithSession: true,
        seed: seed)
      strap.contactLosses = .random(perHour: 2, lasting: 4..<12)
      strap.linkLosses = .random(perHour: 1, lasting: 8..<25)
      return strap
    }
    return SimulatedRun(straps, worn: 2, seed: seed)
  }
}
