public import Foundation

extension NSSortDescriptor {
  /// Sorts samples by one of Apple's sort identifiers, such as `HKSampleSortIdentifierStartDate`, or by the
  /// name of the property that it stands for.
  ///
  /// Foundation on Linux has no key-value coding and forbids its own initialiser of this form; where
  /// HealthKit is imported this one is called. A query answers any other key with errorInvalidArgument;
  /// comparing two objects by it traps.
  public convenience init(key: String?, ascending: Bool) {
    switch key.flatMap(SampleSortKey.init(name:)) {
    case .start: self.init(keyPath: \HKSample.startDate, ascending: ascending)
    case .end: self.init(keyPath: \HKSample.endDate, ascending: ascending)
    case .workout(.duration): self.init(keyPath: \HKWorkout.duration, ascending: ascending)
    case .workout(.distance): self.init(ofWorkouts: \.totalDistance, ascending)
    case .workout(.energyBurned): self.init(ofWorkouts: \.totalEnergyBurned, ascending)
    case .workout(.swimmingStrokeCount): self.init(ofWorkouts: \.totalSwimmingStrokeCount, ascending)
    case .workout(.flightsClimbed): self.init(ofWorkouts: \.totalFlightsClimbed, ascending)
    case nil:
      let name = key ?? ""
      self.init(keyPath: \NSObject[unknownSortKey: name], ascending: ascending) { _, _ in
        HKValidationError(
          .invalidArgument,
          "objects cannot be sorted by “\(name)”: Foundation on Linux has no key-value coding"
        )
        .raise()
      }
    }
  }

  private convenience init(ofWorkouts keyPath: KeyPath<HKWorkout, HKQuantity?>, _ ascending: Bool) {
    self.init(keyPath: keyPath, ascending: ascending) { first, second in
      switch (first as? HKQuantity, second as? HKQuantity) {
      case (let first?, let second?): first.compare(second)
      case (nil, nil): .orderedSame
      case (nil, _?): .orderedAscending
      case (_?, nil): .orderedDescending
      }
    }
  }

  /// The key with which the descriptor was made, if samples have no such property.
  var unknownKey: String? {
    (keyPath as? KeyPath<NSObject, UnknownSortKey>).map { NSObject()[keyPath: $0].name }
  }
}

/// A key without a property. A descriptor keeps nothing but a key path, so the key path keeps the key.
struct UnknownSortKey {
  let name: String
}

extension NSObject {
  subscript(unknownSortKey name: String) -> UnknownSortKey { UnknownSortKey(name: name) }
}
