/// Who sends, by the numbers in `hrgate.person` and `hrgate.gateway`.
struct Sender {
  let person: Int32
  let gateway: Int32
}
