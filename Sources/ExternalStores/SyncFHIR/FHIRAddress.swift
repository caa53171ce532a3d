import Foundation
public import HealthDataSync

/// The address of a FHIR server and its settings:
/// `fhir+https://host/base?subject=Patient/123`.
///
/// - `subject`: The subject of the Observations: `Patient/123`, or a full URL. The default is an identifier
///   with the person's name.
/// - `performer`: The performer of the Observations, such as `Practitioner/7` or `Patient/123`. The default
///   is no performer.
/// - `ca`: A PEM file of certificates to trust instead of the system's.
public struct FHIRAddress: Hashable, Sendable {
  /// The base URL of the server, without a trailing slash: `https://host/base`.
  public let base: String
  /// The reference to the subject of the Observations.
  public let subject: String?
  /// The reference to the performer of the Observations.
  public let performer: String?
  /// The path of the PEM file to trust instead of the system's certificates.
  public let certificateAuthority: String?

  /// The host name, for messages.
  let host: String

  /// Parses an address.
  ///
  /// - Parameter url: The URL as given to `hrgate sync add`. `fhir+http` is accepted only for this computer,
  ///   because nothing would protect the data and the token on a network.
  /// - Throws: `ExternalStoreError` that describes the mistake.
  public init(_ url: String) throws(ExternalStoreError) {
    guard var parts = URLComponents(string: url), let scheme = parts.scheme?.lowercased(),
      ["fhir+https", "fhir+http"].contains(scheme)
    else { throw .address("a FHIR server's address looks like fhir+https://host/base") }
    guard parts.user == nil, parts.password == nil else {
      throw .address(
        "an address must not contain a user or password: put the server's token into a file of mode 0600")
    }
    guard let host = parts.host?.trimmingCharacters(in: ["[", "]"]), !host.isEmpty else {
      throw .address("the address has no host: fhir+https://host/base")
    }
    guard scheme == "fhir+https" || LoopbackHost.isOne(host) else {
      throw .address("\(host) is another computer: health data must be sent encrypted, with fhir+https://")
    }
    guard parts.fragment == nil else { throw .address("an address must not contain a #") }
    guard parts.port.map((1...65535).contains) ?? true else {
      throw .address("the port of the address must be from 1 to 65535")
    }
    let settings = try Self.settings(parts.queryItems ?? [])
    subject = try settings["subject"].map { value throws(ExternalStoreError) in
      try Self.reference(value, to: ["Patient", "Group", "Device", "Location"], "subject")
    }
    performer = try settings["performer"].map { value throws(ExternalStoreError) in
      try Self.reference(
        value,
        to: [
          "Practitioner", "PractitionerRole", "Organization", "CareTeam", "Patient", "RelatedPerson",
        ], "performer")
    }
    certificateAuthority = settings["ca"]
    if let path = certificateAuthority, !path.hasPrefix("/") {
      throw .address("the setting ca of the address must be the absolute path of a file")
    }
    parts.scheme = String(scheme.dropFirst("fhir+".count))
    parts.query = nil
    while parts.path.hasSuffix("/") { parts.path.removeLast() }
    guard let base = parts.string else {
      throw .address("the address is not a URL such as fhir+https://host/base")
    }
    self.base = base
    self.host = host
  }

  private static func settings(_ items: [URLQueryItem]) throws(ExternalStoreError) -> [String: String] {
    var settings: [String: String] = [:]
    for item in items {
      guard ["subject", "performer", "ca"].contains(item.name) else {
        throw .address(
          "a FHIR address has no setting \(item.name): the settings are subject, performer and ca")
      }
      guard let value = item.value, !value.isEmpty, settings.updateValue(value, forKey: item.name) == nil
      else {
        throw .address("the setting \(item.name) of the address must be given once, with a value")
      }
    }
    return settings
  }

  /// Checks a reference: `Type/id`, or a URL that ends with it.
  private static func reference(
    _ text: String, to types: [String], _ name: String
  ) throws(ExternalStoreError) -> String {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count >= 2, let id = parts.last, types.contains(String(parts[parts.count - 2])),
      id.wholeMatch(of: #/[A-Za-z0-9.\-]{1,64}/#) != nil,
      parts.count == 2 || text.hasPrefix("https://") || text.hasPrefix("http://")
    else {
      throw .address("the setting \(name) of the address must be a reference such as \(types[0])/123")
    }
    return text
  }
}
