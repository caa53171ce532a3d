import Foundation
package import HealthStorage

extension EncodedCondition {
  /// The same bytes each time for the same condition.
  init(_ condition: some Encodable) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    encoder.nonConformingFloatEncodingStrategy = Self.infinities
    // Bytes that say nothing hold for nothing.
    self.init((try? encoder.encode(condition)) ?? Data())
  }

  private static let infinities = JSONEncoder.NonConformingFloatEncodingStrategy.convertToString(
    positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")

  func holds(forMetadata values: [String: MetadataValue]) -> Bool {
    Self.ofMetadata.condition(self)?.holds(values) ?? false
  }

  func holds(for sample: HKSample) -> Bool {
    Self.ofSamples.condition(self)?.holds(sample) ?? false
  }

  private static let ofMetadata = ConditionCache<MetadataCondition>()
  private static let ofSamples = ConditionCache<SampleCondition>()
}

extension Interpretation {
  package static let ofHealthKit = Interpretation(
    // What the user entered counts before what was measured.
    markingKey: HKMetadataKeyWasUserEntered,
    metadataSatisfy: { values, condition in condition.holds(forMetadata: values) },
    archiveSatisfies: { archive, condition in
      guard let sample = try? ArchivedClasses.unarchive(HKSample.self, from: archive) else { return false }
      return condition.holds(for: sample)
    },
    containerSatisfies: { archive, quantities, condition in
      guard let sample = try? ArchivedClasses.unarchive(HKSample.self, from: archive) else { return false }
      (sample as? HKWorkout)?.take(WorkoutQuantities(quantities))
      return condition.holds(for: sample)
    })
}
