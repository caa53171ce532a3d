import HealthStorage

/// Values of which a metadata value may be any.
///
/// All but quantities form a set, so that many values cost no more than one: each sample may have metadata of
/// its own.
struct AllowedMetadata: Hashable, Sendable {
  private let values: [MetadataValue]
  private let canonical: Set<MetadataValue>
  private let quantities: [MetadataValue]

  init(_ values: [MetadataValue]) {
    self.values = values
    canonical = Set(values.compactMap(\.canonical))
    quantities = values.filter { $0.canonical == nil }
  }

  func contains(_ value: MetadataValue) -> Bool {
    guard let form = value.canonical else {
      return quantities.contains { value.order(to: $0) == .orderedSame }
    }
    return canonical.contains(form)
  }
}

extension AllowedMetadata: Codable {
  init(from decoder: any Decoder) throws {
    self.init(try [MetadataValue](from: decoder))
  }

  func encode(to encoder: any Encoder) throws {
    try values.encode(to: encoder)
  }
}
