public import Foundation
public import HealthKit
import HealthStorage

/// Where a health store is carried to, and what of it.
public struct SyncDestination: Hashable, Sendable {
  /// 1 to 64 letters, digits, dots, underscores and hyphens, of ASCII.
  public var name: String
  /// A URL, without secrets. Its scheme says what is there.
  public var address: String
  /// The types that go there; nil for all, also those of which there is nothing yet.
  public var types: Set<HKSampleType>?
  /// The types that do not go there.
  public var excludedTypes: Set<HKSampleType>
  /// Bundle identifiers of the sources whose samples go there; nil for all.
  public var sources: Set<String>?
  /// No sample that starts before it goes there; nil for all.
  public var from: Date?
  public var identity: ExternalIdentity
  /// The path of the file that holds the password, token or the like.
  public var secretFile: String?

  public init(
    name: String, address: String, types: Set<HKSampleType>? = nil, excludedTypes: Set<HKSampleType> = [],
    sources: Set<String>? = nil, from: Date? = nil, identity: ExternalIdentity, secretFile: String? = nil
  ) {
    self.name = name
    self.address = address
    self.types = types
    self.excludedTypes = excludedTypes
    self.sources = sources
    self.from = from
    self.identity = identity
    self.secretFile = secretFile
  }

  /// Whether samples of a type go there.
  public func includes(_ type: HKSampleType) -> Bool {
    types?.contains(type) ?? true && !excludedTypes.contains(type)
  }

  /// What is at the address: its scheme without how it is spoken to, such as `postgresql`, `fhir`, `mqtt` or
  /// `file`.
  public var kind: String {
    let scheme = address.prefix { $0 != ":" }.prefix { $0 != "+" }.lowercased()
    return ["postgres": "postgresql", "mqtts": "mqtt"][scheme] ?? scheme
  }

  /// Whether a destination may be called so.
  public static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        let character = Character(UnicodeScalar(byte))
        return character.isASCII && (character.isLetter || character.isNumber || "._-".contains(character))
      }
  }
}

extension SyncDestination {
  init(_ record: SyncDestinationRecord) {
    self.init(
      name: record.name, address: record.address,
      types: record.types.map { Set($0.compactMap(SampleTypes.type)) },
      excludedTypes: Set(record.excludedTypes.compactMap(SampleTypes.type)),
      sources: record.sources.map { Set($0) }, from: record.earliest.map(Microseconds.date),
      identity: ExternalIdentity(
        person: record.person, gateway: record.gateway, gatewayID: record.storeIdentity),
      secretFile: record.secretFile)
  }

  func record(at now: Date) -> SyncDestinationRecord {
    SyncDestinationRecord(
      name: name, address: address, types: types?.map(\.identifier).sorted(),
      excludedTypes: excludedTypes.map(\.identifier).sorted(), sources: sources?.sorted(),
      earliest: from.map(Microseconds.clamped), person: identity.person, gateway: identity.gateway,
      secretFile: secretFile, added: Microseconds.clamped(now))
  }
}

/// Every type of samples, by its identifier.
enum SampleTypes {
  private static let table = Dictionary(
    HKSampleType.known.map { ($0.identifier, $0) }, uniquingKeysWith: { first, _ in first })

  /// nil for what is not a type of samples, or one that only a newer version knows.
  static func type(_ identifier: String) -> HKSampleType? { table[identifier] }
}

extension SyncDestinationRecord {
  /// Which samples of a type go there.
  var filter: SampleFilter {
    var parts: [SampleFilter] = []
    if let sources { parts.append(.sources(Set(sources))) }
    if let earliest { parts.append(.startsFrom(earliest)) }
    return parts.isEmpty ? .everything : .all(parts)
  }

  /// Whether the user chose a type for it.
  func includes(_ type: String) -> Bool {
    types?.contains(type) ?? true && !excludedTypes.contains(type)
  }

  /// The types that the user chose for it, as far as there are samples of them.
  func chosenTypes(in ledger: SyncLedger) async throws -> [HKSampleType] {
    let identifiers = if let types { types } else { try await ledger.storedTypes() }
    return identifiers.filter(includes).compactMap(SampleTypes.type)
  }

  /// The types of which samples go there: those that were chosen, without those that it never accepts.
  func types(in ledger: SyncLedger) async throws -> [HKSampleType] {
    let rejected = try await ledger.rejectedTypes(of: id)
    return try await chosenTypes(in: ledger).filter { rejected[$0.identifier] == nil }
  }
}
