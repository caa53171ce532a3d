/// Whose data go to an external store, and which gateway sends them: many gateways meet in one database.
public struct ExternalIdentity: Hashable, Sendable {
  public let person: String
  /// What people call the gateway, such as the name of its machine. Two may be called the same.
  public let gateway: String
  /// What tells the gateway from all others, whatever they are called: of a destination the random identity
  /// of its store. nil where the name alone does.
  public let gatewayID: String?

  /// - Parameter gatewayID: A destination that is added gets that of the store, whatever stands here.
  public init(person: String, gateway: String, gatewayID: String? = nil) {
    self.person = person
    self.gateway = gateway
    self.gatewayID = gatewayID
  }

  /// By what external stores know the gateway: no two gateways of one name are one there.
  package var gatewayKey: String { gatewayID ?? gateway }
}
