/* CRD_UNGUARDED stands before a function that runs for each joint of each right-hand side, hands out addresses of its
 * locals, and so would have the stack protector's canary (meson.build): six instructions a call, together more than a
 * hundredth of a right-hand side. Only where no local array is written at an index that data decide. */
#ifndef CRD_CORE_UNGUARDED_H
#define CRD_CORE_UNGUARDED_H

#ifdef __has_attribute
#if __has_attribute(no_stack_protector)
#define CRD_UNGUARDED __attribute__((no_stack_protector))
#endif
#endif
#ifndef CRD_UNGUARDED
#define CRD_UNGUARDED
#endif

#endif
