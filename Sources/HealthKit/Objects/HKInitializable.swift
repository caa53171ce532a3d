/// Lets an initialiser answer with an object that exists already, or with one of a subclass, as Apple's do:
/// `HKUnit(from:)` gives the same unit for the same string, `HKQuantitySample(type:…)` a discrete or a
/// cumulative sample. An initialiser of a Swift class cannot; one in an extension of a protocol can.
///
/// Not meant to be adopted elsewhere. (Not in Apple's framework.)
public protocol HKInitializable {}

extension HKInitializable {
  /// `instance` itself. Traps if it is not of the class that was asked for, as of a series sample that only a
  /// store has.
  init(instance: some HKInitializable) {
    guard let same = instance as? Self else {
      HKValidationError(
        .invalidArgument, "a \(type(of: instance)) was made where a \(Self.self) was asked for"
      )
      .raise()
    }
    self = same
  }
}
