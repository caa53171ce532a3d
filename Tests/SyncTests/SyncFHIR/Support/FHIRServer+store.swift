import ExternalStores
import HealthDataSync

@testable import TestSupport

extension FHIRServer {
  /// - Parameter id: the gateway ID, which distinguishes gateways with the same name.
  func store(
    _ query: String = "", secret: String? = nil, gateway: String = "cellar", id: String? = nil,
    _ change: (inout FHIRStore.Limits) -> Void = { _ in }
  ) throws -> FHIRStore {
    var limits = FHIRStore.Limits()
    change(&limits)
    return FHIRStore(
      try FHIRAddress(url(query)), secret: secret,
      identity: ExternalIdentity(person: "Ada", gateway: gateway, gatewayID: id), limits: limits)
  }
}
