public import Foundation
public import HealthKit
import HealthStorage

/// A destination outside the health store, such as a database, and the selection of samples to send to it.
public struct SyncDestination: Hashable, Sendable {
  /// The name that the user chose: 1 to 64 ASCII letters, digits, dots, underscores and hyphens.
  public var name: String
  /// The URL of the destination, without secrets. Its scheme selects the kind of destination.
  public var address: String
  /// The types to send, or `nil` for all types, including types without samples so far.
  public var types: Set<HKSampleType>?
  /// The types not to send.
  public var excludedTypes: Set<HKSampleType>
  /// The bundle identifiers of the sources whose samples are sent, or `nil` for all.
  public var sources: Set<String>?
  /// The start date of the earliest sample to send, or `nil` for no limit.
  public var from: Date?
  /// The names of the person and the gateway, which are stored with the samples at the destination.
  public var identity: ExternalIdentity
  /// The path of the file with the password or token.
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

  /// Returns whether samples of a type are sent.
  public func includes(_ type: HKSampleType) -> Bool {
    types?.contains(type) ?? true && !excludedTypes.contains(type)
  }

  /// The kind of destination: the URL scheme without its transport, such as `postgresql`, `fhir`, `mqtt` or
  /// `file`.
  public var kind: String {
    let scheme = address.prefix { $0 != ":" }.prefix { $0 != "+" }.lowercased()
    return ["postgres": "postgresql", "mqtts": "mqtt"][scheme] ?? scheme
  }

  /// Returns whether a text is a valid name.
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

/// Looks up sample types by their identifiers.
enum SampleTypes {
  private static let table = Dictionary(
    HKSampleType.known.map { ($0.identifier, $0) }, uniquingKeysWith: { first, _ in first })

  /// Returns the type, or `nil` if it is not a sample type or is unknown to this version.
  static func type(_ identifier: String) -> HKSampleType? { table[identifier] }
}

extension SyncDestinationRecord {
  /// The filter that selects the samples to send by source and start date.
  var filter: SampleFilter {
    var parts: [SampleFilter] = []
    if let sources { parts.append(.sources(Set(sources))) }
    if let earliest { parts.append(.startsFrom(earliest)) }
    return parts.isEmpty ? .everything : .all(parts)
  }

  /// Returns whether the user selected a type to be sent.
  func includes(_ type: String) -> Bool {
    types?.contains(type) ?? true && !excludedTypes.contains(type)
  }

  /// Returns the selected types that have samples in the store.
  func chosenTypes(in ledger: SyncLedger) async throws -> [HKSampleType] {
    let identifiers = if let types { types } else { try await ledger.storedTypes() }
    return identifiers.filter(includes).compactMap(SampleTypes.type)
  }

  /// Returns the types to send: the selected types except for types that the destination never accepts.
  func types(in ledger: SyncLedger) async throws -> [HKSampleType] {
    let rejected = try await ledger.rejectedTypes(of: id)
    return try await chosenTypes(in: ledger).filter { rejected[$0.identifier] == nil }
  }
}

/// An error about the name or state of a destination.
public enum SyncDestinationError: Error, Hashable, Sendable {
  case invalidName(String)
  /// A destination with this name exists.
  case taken(String)
  /// No destination with this name exists, or it was removed.
  case unknown(String)
  /// This or another process is sending to the destination. The process ID is `nil` if it is unknown.
  case running(String, process: Int32?)
}

extension SyncDestinationError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .invalidName(let name):
      "“\(name)” is not a valid name of a destination: use 1 to 64 letters, digits, dots, underscores and hyphens (A-Z a-z 0-9 . _ -)"
    case .taken(let name):
      "a destination called \(name) already exists: remove it first, or choose another name"
    case .unknown(let name):
      "there is no destination called \(name)"
    case .running(let name, let process):
      "\(process.map { "process \($0)" } ?? "another program") already syncs to \(name): leave it to that program, or stop it"
    }
  }
}

/// Recognizes host names and addresses of this machine.
package enum LoopbackHost {
  /// Returns whether a host is a loopback address.
  ///
  /// - Parameter host: A name or an IP address, without brackets and port. The only name that counts is
  ///   localhost, because what other names resolve to may change.
  package static func isOne(_ host: String) -> Bool {
    if host.lowercased() == "localhost" || host == "::1" { return true }
    let bytes = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
    return bytes.count == 4 && bytes.first == 127 && !bytes.contains(nil)
  }
}
