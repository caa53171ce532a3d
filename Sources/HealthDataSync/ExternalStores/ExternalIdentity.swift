/// Whose data go to an external store, and which gateway sends them: many gateways meet in one database.
public struct ExternalIdentity: Hashable, Sendable {
  public let person: String
  public let gateway: String

  public init(person: String, gateway: String) {
    self.person = person
    self.gateway = gateway
  }
}
