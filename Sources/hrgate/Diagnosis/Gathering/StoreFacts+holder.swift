import Foundation

extension StoreFacts.Holder {
  /// A process of this machine, with its name as the kernel tells it to everybody.
  public init(process: Int32, root: String = "/") {
    let name = try? String(contentsOfFile: "\(root)proc/\(process)/comm", encoding: .utf8)
    self.init(process: process, program: name.map { String($0.prefix { $0 != "\n" }) })
  }
}
