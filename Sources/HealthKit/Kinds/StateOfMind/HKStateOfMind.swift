public import Foundation

/// What a person felt, in words of their own choice: a mood of a day, or an emotion at a moment.
///
/// The initialiser traps where Apple's raises an exception; `validated` throws the reason instead.
// @unchecked: as for HKObject.
open class HKStateOfMind: HKSample, NSCopying, @unchecked Sendable {
  fileprivate let feeling: Feeling

  init(_ feeling: Feeling, _ interval: SampleInterval, _ origin: ObjectOrigin) {
    self.feeling = feeling
    super.init(ObjectTypes.stateOfMind, interval, origin)
  }

  public var kind: Kind { feeling.kind }
  /// How pleasant, from −1 to 1.
  public var valence: Double { feeling.valence }
  /// The band that the valence lies in.
  public var valenceClassification: ValenceClassification { feeling.classification }
  /// Words for the feeling; may be empty.
  public var labels: [Label] { feeling.labels }
  /// What the feeling has to do with; may be empty.
  public var associations: [Association] { feeling.associations }

  // MARK: - NSCopying, NSSecureCoding

  public func copy(with zone: NSZone? = nil) -> Any { self }

  public override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(kind.rawValue, forKey: ArchiveKey.kind)
    coder.encode(valence, forKey: ArchiveKey.valence)
    coder.encodeValues(labels, forKey: ArchiveKey.labels)
    coder.encodeValues(associations, forKey: ArchiveKey.associations)
  }

  public required init?(coder: NSCoder) {
    guard HKSample.type(from: coder) == ObjectTypes.stateOfMind,
      let kind = coder.value(Kind.self, forKey: ArchiveKey.kind),
      let valence = coder.real(forKey: ArchiveKey.valence),
      let labels = coder.values(Label.self, forKey: ArchiveKey.labels),
      let associations = coder.values(Association.self, forKey: ArchiveKey.associations),
      let feeling = try? Feeling(kind: kind, valence: valence, labels: labels, associations: associations)
    else { return nil }
    self.feeling = feeling
    super.init(coder: coder)
    guard startDate == endDate else { return nil }
  }

  private enum ArchiveKey {
    static let kind = "kind"
    static let valence = "valence"
    static let labels = "labels"
    static let associations = "associations"
  }
}

// MARK: - Making states of mind

extension HKStateOfMind {
  /// What was felt, checked.
  struct Feeling: Sendable {
    let kind: Kind
    let valence: Double
    let classification: ValenceClassification
    let labels: [Label]
    let associations: [Association]

    init(
      kind: Kind, valence: Double, labels: [Label], associations: [Association]
    ) throws(HKValidationError) {
      guard let classification = ValenceClassification(valence: valence) else {
        throw HKValidationError("a valence lies between -1 and 1")
      }
      self.kind = kind
      self.valence = valence
      self.classification = classification
      self.labels = labels
      self.associations = associations
    }
  }

  /// A new state of mind, or the reason why there cannot be one: for values that come from outside.
  public class func validated(
    date: Date, kind: Kind, valence: Double, labels: [Label], associations: [Association],
    metadata: [String: Any]? = nil
  ) throws(HKValidationError) -> HKStateOfMind {
    let feeling = try Feeling(kind: kind, valence: valence, labels: labels, associations: associations)
    let interval = try SampleInterval(start: date, end: date, of: ObjectTypes.stateOfMind)
    return HKStateOfMind(feeling, interval, try ObjectOrigin(device: nil, metadata: metadata))
  }
}

extension HKStateOfMind {
  private convenience init(as other: HKStateOfMind) {
    self.init(other.feeling, other.interval, other.origin)
  }

  /// - Parameters:
  ///   - date: when the sample starts and ends.
  ///   - valence: from −1, very unpleasant, to 1, very pleasant.
  ///   - metadata: values are String, NSNumber, Date or HKQuantity; a sync identifier needs a sync version.
  public convenience init(
    date: Date, kind: HKStateOfMind.Kind, valence: Double, labels: [HKStateOfMind.Label],
    associations: [HKStateOfMind.Association], metadata: [String: Any]? = nil
  ) {
    self.init(
      as: requiring(
        try HKStateOfMind.validated(
          date: date, kind: kind, valence: valence, labels: labels, associations: associations,
          metadata: metadata)))
  }
}
