/// A zone of a quantity, such as the heart rates of a moderate effort.
public struct HKWorkoutZone: Hashable, Sendable {
  /// The position of the zone in its configuration, from 0 for the lowest one.
  public let index: Int
  /// The value at which the zone begins; nil for the lowest zone.
  public let minimum: HKQuantity?
  /// The value at which the next zone begins; nil for the highest zone.
  public let maximum: HKQuantity?
}

/// The zones of a quantity type, which follow each other without gaps.
public struct HKWorkoutZoneConfiguration: Hashable, Sendable {
  /// Who defined the zones.
  public enum Source: Hashable, Sendable {
    /// Computed from the user's maximum heart rate.
    case system
    /// Entered by the user.
    case user
    /// Created by a program.
    case app
  }

  public let quantityType: HKQuantityType
  /// The zones, the lowest one first.
  public let zones: [HKWorkoutZone]
  public let source: Source

  /// Creates zones that a program defines.
  /// - Parameter zoneBoundaries: The values at which the second zone, the third zone … begin, ascending.
  /// - Throws: `HKError` errorInvalidArgument if there are no boundaries, or if they are not ascending or not
  ///   of a unit of the type.
  public init(quantityType: HKQuantityType, zoneBoundaries: [HKQuantity]) throws {
    guard !zoneBoundaries.isEmpty else {
      throw HKError(.errorInvalidArgument, reason: "Zones need at least one boundary.")
    }
    guard zoneBoundaries.allSatisfy({ quantityType.is(compatibleWith: $0.unit) }) else {
      throw HKError(
        .errorInvalidArgument, reason: "A boundary has a unit that \(quantityType.identifier) does not have.")
    }
    let values = zoneBoundaries.map { $0.doubleValue(for: zoneBoundaries[0].unit) }
    guard values.allSatisfy(\.isFinite), zip(values, values.dropFirst()).allSatisfy({ $0 < $1 }) else {
      throw HKError(.errorInvalidArgument, reason: "The boundaries of zones must be ascending.")
    }
    self.init(quantityType, zoneBoundaries, .app)
  }

  init(_ quantityType: HKQuantityType, _ boundaries: [HKQuantity], _ source: Source) {
    (self.quantityType, self.source) = (quantityType, source)
    zones = (0...boundaries.count).map { index in
      HKWorkoutZone(
        index: index, minimum: index > 0 ? boundaries[index - 1] : nil,
        maximum: index < boundaries.count ? boundaries[index] : nil)
    }
  }
}
