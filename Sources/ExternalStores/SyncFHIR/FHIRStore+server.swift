import Foundation
import HealthDataSync

extension FHIRStore {
  /// Checks that there is a FHIR R4 server at the address, and that it does not declare a required feature as
  /// unsupported.
  func checkServer(_ client: FHIRClient) async throws {
    let response = try await client.get("/metadata")
    guard try isTaken(response),
      let server = try? JSONDecoder().decode(CapabilityStatement.self, from: response.body),
      server.resourceType == "CapabilityStatement"
    else {
      throw ExternalStoreError(
        "\(address.host) is not a FHIR server at this address: check the base of the URL", outlook: .lasting)
    }
    if let version = server.fhirVersion, !version.hasPrefix("4.") {
      throw ExternalStoreError(
        "\(address.host) does not use FHIR R4: use its R4 address", outlook: .lasting)
    }
    let lacks =
      server.observation?.conditionalCreate == false
      ? "conditional create" : server.observation?.conditionalUpdate == false ? "conditional update" : nil
    if let lacks {
      throw ExternalStoreError(
        "\(address.host) does not support \(lacks) for Observation: ask its administrator to enable it",
        outlook: .lasting)
    }
  }

  /// Checks that the subject exists, because the server would reject all samples that refer to a missing
  /// subject. Accepts a status of 403, because the token may only allow writing.
  func checkSubject(_ client: FHIRClient) async throws {
    guard let subject = address.subject, !subject.contains("://") else { return }
    let response = try await client.get("/" + subject)
    switch response.status {
    case 404, 410:
      throw ExternalStoreError(
        "\(address.host) has no \(subject): create it there, or give another one with ?subject=",
        outlook: .lasting)
    case 403: return
    default: _ = try isTaken(response)
    }
  }

  /// Returns whether a read request succeeded.
  private func isTaken(_ response: HTTPResponse) throws -> Bool {
    switch try ServerVerdict(response, from: address) {
    case .taken: true
    case .refused: false
    case .failed(_, let error): throw error
    }
  }
}
