/* SPDX-License-Identifier: BSD-2-Clause */
/* A function that no section says the type of, with types that no kernel takes: an enum that is only declared. */
enum later;
struct lens_odd {
	enum later *is;
};
int lens_no_type(struct lens_odd *odd)
{
	return !odd;
}
