import Foundation
package import HealthStorage
import Synchronization

extension EncodedCondition {
  /// Encodes a condition for the store. Equal conditions have equal bytes.
  init(_ condition: some Encodable) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    encoder.nonConformingFloatEncodingStrategy = Self.infinities
    // A condition that cannot be encoded becomes empty data, which cannot be decoded and therefore matches
    // nothing.
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
  /// The functions that the store uses to evaluate encoded conditions and archives, because it does not know
  /// HealthKit's classes.
  package static let ofHealthKit = Interpretation(
    // In sums, values that the user entered take priority over measured ones.
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

/// A cache of decoded conditions, because a query evaluates the same encoded condition for each row.
final class ConditionCache<Condition: Decodable & Sendable>: Sendable {
  /// Maximum number of cached conditions. A query has far fewer, so the cache is simply cleared when it is
  /// full.
  private static var capacity: Int { 64 }
  private let known = Mutex<[EncodedCondition: Condition]>([:])

  /// Decodes a condition. Returns nil if the bytes are not valid.
  func condition(_ encoded: EncodedCondition) -> Condition? {
    if let condition = known.withLock({ $0[encoded] }) { return condition }
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    guard let condition = try? decoder.decode(Condition.self, from: encoded.bytes) else { return nil }
    known.withLock { known in
      if known.count >= Self.capacity { known.removeAll() }
      known[encoded] = condition
    }
    return condition
  }
}

/// A set that is encoded in sorted order, so that equal conditions have equal bytes.
struct CodedSet<Element: Hashable & Comparable & Codable & Sendable>: Hashable, Sendable {
  private let elements: Set<Element>

  init(_ elements: some Sequence<Element>) {
    self.elements = Set(elements)
  }

  func contains(_ element: Element) -> Bool { elements.contains(element) }
}

extension CodedSet: Codable {
  init(from decoder: any Decoder) throws {
    self.init(try [Element](from: decoder))
  }

  func encode(to encoder: any Encoder) throws {
    try elements.sorted().encode(to: encoder)
  }
}
